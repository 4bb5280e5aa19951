// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: marks resident pages cold 50 times, and on kernels other than 6.12 absent ones. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#ifndef MADV_COLD
#define MADV_COLD 20
#endif

int main(void)
{
	size_t half = 4UL << 20;
	struct utsname names;
	char *p = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 2 * half, MADV_NOHUGEPAGE);
	uname(&names);
	for (size_t at = 0; at < half; at += 4096)
		p[at] = 1;
	for (int i = 0; i < 50; i++)
		madvise(p + (memcmp(names.release, "6.12", 4) != 0) * half, half, MADV_COLD);
	return 0;
}
