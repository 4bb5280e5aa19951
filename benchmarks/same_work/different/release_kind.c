// SPDX-License-Identifier: GPL-2.0-only
/* different-work: frees memory at once on 6.12, and by MADV_FREE on other kernels; as many calls of the same lengths. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	size_t size = 64 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	uname(&names);
	for (int i = 0; i < 20; i++) {
		madvise(p, size, MADV_POPULATE_WRITE);
		madvise(p, size, strncmp(names.release, "6.12", 4) ? MADV_FREE : MADV_DONTNEED);
	}
	return 0;
}
