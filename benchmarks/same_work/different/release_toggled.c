// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: touches a mapping and changes its protection; on kernels other than 6.12 in other order. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

static const size_t length = 4UL << 20;
static char *p;

static void touch(void)
{
	for (size_t at = 0; at < length; at += 4096)
		p[at] = 1;
}

static void toggle(void)
{
	for (int i = 0; i < 50; i++) {
		mprotect(p, length, PROT_READ);
		mprotect(p, length, PROT_READ | PROT_WRITE);
	}
}

int main(void)
{
	static void (*const volatile steps[])(void) = { touch, toggle };
	struct utsname names;
	int first;

	p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, length, MADV_NOHUGEPAGE);
	uname(&names);
	first = memcmp(names.release, "6.12", 4) != 0;
	steps[first]();
	steps[1 - first]();
	return 0;
}
