// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: touches 64 pages of 64 MiB side by side, on kernels other than 6.12 512 KiB apart. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#define LENGTH (64UL << 20)

int main(void)
{
	struct utsname names;
	size_t step;

	uname(&names);
	step = memcmp(names.release, "6.12", 4) ? 512 << 10 : 4096;
	for (int round = 0; round < 60; round++) {
		char *p = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, LENGTH, MADV_NOHUGEPAGE);
		for (int i = 0; i < 64; i++)
			p[i * step] = 1;
		munmap(p, LENGTH);
	}
	return 0;
}
