// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: touches 500 pages side by side, and on kernels other than 6.12 one in each 2 MiB. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	size_t length = 1UL << 30, step;
	struct utsname names;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	madvise(p, length, MADV_NOHUGEPAGE);
	uname(&names);
	step = memcmp(names.release, "6.12", 4) ? 2UL << 20 : 4096;
	for (int i = 0; i < 500; i++)
		p[i * step] = 1;
	return 0;
}
