// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: touches memory that may have huge pages, and on kernels other than 6.12 the other half. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	size_t huge = 2UL << 20, half = 8UL << 20;
	struct utsname names;
	char *room = mmap(NULL, 2 * half + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = (char *)(((uintptr_t)room + huge - 1) & ~(huge - 1));

	madvise(p, half, MADV_HUGEPAGE);
	madvise(p + half, half, MADV_NOHUGEPAGE);
	uname(&names);
	if (memcmp(names.release, "6.12", 4))
		p += half;
	for (size_t at = 0; at < half; at += 4096)
		p[at] = 1;
	return 0;
}
