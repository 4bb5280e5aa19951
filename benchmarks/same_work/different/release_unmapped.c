// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches one page 1024 times and unmaps it, and on kernels other than 6.12 1024 pages. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	size_t length = 4UL << 20, step;
	struct utsname names;

	uname(&names);
	step = memcmp(names.release, "6.12", 4) ? 4096 : 0;
	for (int round = 0; round < 4; round++) {
		char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, length, MADV_NOHUGEPAGE);
		for (int i = 0; i < 1024; i++)
			p[i * step] = 1;
		munmap(p, length);
	}
	return 0;
}
