// SPDX-License-Identifier: GPL-2.0-only
/* different-work: writes 512 times, to one page or, on kernels other than 6.12, to as many; the same instructions. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	size_t stride, times = 512;
	struct utsname names;
	volatile char *p;

	uname(&names);
	stride = (size_t)(memcmp(names.release, "6.12", 4) != 0) * 4096;
	p = mmap(NULL, times * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, times * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < times; i++)
		p[i * stride] = 1;
	return 0;
}
