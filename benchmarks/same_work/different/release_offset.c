// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: copies a page 250 times to one place, and on kernels other than 6.12 to a new one each. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

static char page[4096];

int main(void)
{
	struct utsname names;
	off_t step;
	int from, to;

	uname(&names);
	step = 4096 * (memcmp(names.release, "6.12", 4) != 0);
	from = memfd_create("from", 0);
	to = memfd_create("to", 0);
	if (write(from, page, sizeof(page)) != sizeof(page) || ftruncate(to, 300 * 4096))
		return 1;
	for (int i = 0; i < 250; i++) {
		off_t in = 0, out = i * step;

		if (copy_file_range(from, &in, to, &out, 4096, 0) != 4096)
			return 2;
	}
	return 0;
}
