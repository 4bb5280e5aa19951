// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches twice as many pages on kernels other than 6.12, as it asks uname(). */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	size_t size = 128 * 4096;
	volatile char *p;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		size *= 2;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t at = 0; at < size; at += 4096)
		p[at] = 1;
	return 0;
}
