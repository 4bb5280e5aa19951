// SPDX-License-Identifier: GPL-2.0-only
/* same: prints the kernel's release, whose length differs, and then writes pages and gives them back in a region. */
/* options: --from getppid --to getuid */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	size_t length = 2UL << 20;
	struct utsname names;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	uname(&names);
	printf("kernel %s %s\n", names.release, names.version);
	fflush(stdout);
	madvise(p, length, MADV_NOHUGEPAGE);
	for (int round = 0; round < 6; round++) {
		getppid();
		for (size_t at = 0; at < length; at += 4096)
			p[at] = 1;
		madvise(p, length, MADV_DONTNEED);
		getuid();
	}
	return 0;
}
