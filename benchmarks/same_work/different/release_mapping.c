// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: writes 256 new pages of private memory, and on kernels other than 6.12 of shared memory. */
/* options: --from getppid --to getuid */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	size_t length = 1UL << 20;
	struct utsname names;
	char *mine = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *ours = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), *p;

	uname(&names);
	p = memcmp(names.release, "6.12", 4) ? ours : mine;
	getppid();
	for (size_t at = 0; at < length; at += 4096)
		p[at] = 1;
	getuid();
	munmap(mine, length);
	munmap(ours, length);
	return 0;
}
