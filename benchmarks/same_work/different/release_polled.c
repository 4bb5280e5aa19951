// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: polls 100 pipes 300 times, and on kernels other than 6.12 no file. */
#include <poll.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct pollfd files[100];
	struct utsname names;
	int ends[2], none;

	uname(&names);
	none = memcmp(names.release, "6.12", 4) != 0;
	if (pipe(ends))
		return 1;
	for (int i = 0; i < 100; i++)
		files[i] = (struct pollfd){ .fd = ends[0] - none * 1000, .events = POLLIN };
	for (int i = 0; i < 300; i++)
		poll(files, 100, 0);
	return 0;
}
