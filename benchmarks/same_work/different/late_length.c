// SPDX-License-Identifier: GPL-2.0-only
/* different-work: after 1500 calls it unmaps four times as much at once on kernels other than 6.12. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct utsname names;
	size_t size = 256 * 4096;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		size *= 4;
	for (int i = 0; i < 1500; i++)
		getppid();
	for (int i = 0; i < 4; i++) {
		char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(p, size);
	}
	return 0;
}
