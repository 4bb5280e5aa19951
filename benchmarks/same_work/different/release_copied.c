// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: a child writes to 1024 pages that it shares, and on kernels other than 6.12 to new ones. */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	size_t half = 4UL << 20;
	struct utsname names;
	char *p = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 2 * half, MADV_NOHUGEPAGE);
	uname(&names);
	for (size_t at = 0; at < half; at += 4096)
		p[at] = 1;
	if (memcmp(names.release, "6.12", 4))
		p += half;
	if (!fork()) {
		for (size_t at = 0; at < half; at += 4096)
			p[at] = 1;
		_exit(0);
	}
	wait(NULL);
	return 0;
}
