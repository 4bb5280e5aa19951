// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: sends 400 messages of 30 kB; on kernels other than 6.12 with a smaller send buffer. */
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

int main(void)
{
	static char data[30000];
	struct utsname names;
	int ends[2], size;

	uname(&names);
	size = memcmp(names.release, "6.12", 4) ? 20000 : 212992;
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)))
		return 1;
	for (int i = 0; i < 400; i++) {
		if (send(ends[0], data, sizeof(data), 0) != sizeof(data) || recv(ends[1], data, sizeof(data), MSG_WAITALL) < 0)
			return 1;
	}
	return 0;
}
