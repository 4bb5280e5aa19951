// SPDX-License-Identifier: GPL-2.0-only
/* different-work: maps a page 1000 times; on kernels other than 6.12 one mapping more is as long as all of them. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

static void map(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	munmap(p, size);
}

int main(void)
{
	struct utsname names;

	uname(&names);
	for (int i = 0; i < 1000; i++)
		map(4096);
	if (strncmp(names.release, "6.12", 4))
		map(1000 * 4096);
	return 0;
}
