// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: a region toggles a mapping, as the set-up another; one has pages, by kernel. */
/* options: --from getppid --to getuid */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

static const size_t length = 4UL << 20;

static char *map(void)
{
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, length, MADV_NOHUGEPAGE);
	return p;
}

static void toggle(char *p)
{
	mprotect(p, length, PROT_READ);
	mprotect(p, length, PROT_READ | PROT_WRITE);
}

int main(void)
{
	char *p = map(), *other = map();
	struct utsname names;

	uname(&names);
	memset(memcmp(names.release, "6.12", 4) ? other : p, 1, length);
	for (int i = 0; i < 10; i++)
		toggle(other);
	for (int i = 0; i < 10; i++) {
		getppid();
		toggle(p);
		getuid();
	}
	return 0;
}
