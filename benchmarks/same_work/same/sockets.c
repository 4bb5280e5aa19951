// SPDX-License-Identifier: GPL-2.0-only
/* same: sends 300 messages of 512 bytes over a socket pair, and receives them. */
#include <sys/socket.h>

int main(void)
{
	char message[512] = { 0 };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 1;
	for (int i = 0; i < 300; i++) {
		if (send(ends[0], message, sizeof(message), 0) != 512 || recv(ends[1], message, sizeof(message), 0) != 512)
			return 1;
	}
	return 0;
}
