// SPDX-License-Identifier: GPL-2.0-only
/* different-work: a hash table whose size and seed follow from the process number: as many entries on other pages. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTRIES 2000

int main(void)
{
	uint64_t seed = (uint64_t)getpid();
	uint64_t pages = 32u << seed % 5, slots = pages * 4096 / sizeof(uint64_t);
	volatile uint64_t *table;

	table = mmap(NULL, 32u << 4 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)table, 32u << 4 << 12, MADV_NOHUGEPAGE);
	for (uint64_t i = 1; i <= ENTRIES; i++)
		table[(i * 0x9e3779b97f4a7c15u ^ seed) % slots] = i;
	return 0;
}
