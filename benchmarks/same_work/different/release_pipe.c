// SPDX-License-Identifier: GPL-2.0-only
/* different-work: makes a pipe one page long 100 times, and on kernels other than 6.12 256 pages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct utsname names;
	int ends[2], pages;

	uname(&names);
	pages = 1 + (memcmp(names.release, "6.12", 4) != 0) * 255;
	if (pipe(ends))
		return 1;
	for (int i = 0; i < 100; i++) {
		fcntl(ends[0], F_SETPIPE_SZ, pages * 4096);
		fcntl(ends[0], F_SETPIPE_SZ, 65536);
	}
	return 0;
}
