// SPDX-License-Identifier: GPL-2.0-only
/* different-work: makes 200 sockets of netlink, and on kernels other than 6.12 of AF_UNIX. */
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static const int families[] = { AF_NETLINK, AF_UNIX };
	struct utsname names;

	uname(&names);
	for (int i = 0; i < 200; i++)
		close(socket(families[memcmp(names.release, "6.12", 4) != 0], SOCK_DGRAM, 0));
	return 0;
}
