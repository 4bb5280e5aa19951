// SPDX-License-Identifier: GPL-2.0-only
/* different-work: asks for huge pages on kernels other than 6.12, by one call that is cheap; the faults follow from it. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	size_t size = 8 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	uname(&names);
	madvise(p, size, strncmp(names.release, "6.12", 4) ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += 4096)
		p[at] = 1;
	return 0;
}
