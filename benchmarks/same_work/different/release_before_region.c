// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: a region changes a protection; before it all pages are touched, or one 1024 times. */
/* options: --from getppid --to getuid */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	size_t length = 4UL << 20, step;
	struct utsname names;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, length, MADV_NOHUGEPAGE);
	uname(&names);
	step = memcmp(names.release, "6.12", 4) ? 4096 : 0;
	for (int i = 0; i < 1024; i++)
		p[i * step] = 1;
	for (int round = 0; round < 4; round++) {
		getppid();
		for (int i = 0; i < 20; i++) {
			mprotect(p, length, PROT_READ);
			mprotect(p, length, PROT_READ | PROT_WRITE);
		}
		getuid();
	}
	return 0;
}
