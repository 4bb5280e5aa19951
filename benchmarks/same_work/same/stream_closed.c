// SPDX-License-Identifier: GPL-2.0-only
/* same: sends 172 pieces into a socket pair; a region sends one more and closes both ends. */
/* options: --from getppid --to getuid */
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	for (int i = 0; i < 172; i++)
		if (send(ends[0], "hello", 5, MSG_DONTWAIT) != 5)
			return 1;
	getppid();
	send(ends[0], "hello", 5, MSG_DONTWAIT);
	close(ends[0]);
	close(ends[1]);
	getuid();
	return 0;
}
