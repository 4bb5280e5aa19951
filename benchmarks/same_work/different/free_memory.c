// SPDX-License-Identifier: GPL-2.0-only
/* different-work: fills a thousandth of the free memory, as caches that size themselves do. */
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

int main(void)
{
	struct sysinfo memory;
	size_t size;
	char *p;

	sysinfo(&memory);
	size = memory.freeram * memory.mem_unit / 1000;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 1, size);
	munmap(p, size);
	return 0;
}
