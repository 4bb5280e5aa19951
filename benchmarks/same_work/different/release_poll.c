// SPDX-License-Identifier: GPL-2.0-only
/* different-work: polls four times as many files with each call on kernels other than 6.12. */
#include <poll.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct pollfd files[64];
	struct utsname names;
	nfds_t count = 16;
	int ends[2];

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		count *= 4;
	if (pipe(ends))
		return 1;
	for (int i = 0; i < 64; i++)
		files[i] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	for (int i = 0; i < 200; i++)
		poll(files, count, 0);
	return 0;
}
