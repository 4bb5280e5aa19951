// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: writes 6400 new pages, and on kernels other than 6.12 only reads them. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#define LENGTH (128 * 4096)

int main(void)
{
	struct utsname names;
	volatile char seen;
	int writes;

	uname(&names);
	writes = !memcmp(names.release, "6.12", 4);
	for (int round = 0; round < 50; round++) {
		volatile char *p = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise((void *)p, LENGTH, MADV_NOHUGEPAGE);
		for (int i = 0; i < LENGTH; i += 4096) {
			if (writes)
				p[i] = 1;
			else
				seen = p[i];
		}
		munmap((void *)p, LENGTH);
	}
	(void)seen;
	return 0;
}
