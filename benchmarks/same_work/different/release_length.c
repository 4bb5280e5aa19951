// SPDX-License-Identifier: GPL-2.0-only
/* different-work: unmaps four times as much at once on kernels other than 6.12: as many calls, other lengths. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	size_t size = 64 * 4096;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		size *= 4;
	for (int i = 0; i < 10; i++) {
		char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(p, size);
	}
	return 0;
}
