// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: toggles protections of 4 MiB in swap; on kernels other than 6.12 never written. */
/* options: --swap zram:64MiB */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21 /* Linux 5.4 */
#endif

static const size_t length = 4UL << 20;

static char *map(void)
{
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, length, MADV_NOHUGEPAGE);
	return p;
}

int main(void)
{
	char *p = map(), *other = map();
	struct utsname names;

	uname(&names);
	memset(memcmp(names.release, "6.12", 4) ? other : p, 1, length);
	madvise(p, length, MADV_PAGEOUT);
	madvise(other, length, MADV_PAGEOUT);
	for (int i = 0; i < 50; i++) {
		mprotect(p, length, PROT_READ);
		mprotect(p, length, PROT_READ | PROT_WRITE);
	}
	return 0;
}
