// SPDX-License-Identifier: GPL-2.0-only
/* same: copies each page that is in no compound folio. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	static char copy[4096];
	size_t size = 128 * 4096;
	int maps = open("/proc/self/pagemap", O_RDONLY), flags = open("/proc/kpageflags", O_RDONLY);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int copied = 0;

	memset(p, 1, size);
	for (size_t at = 0; at < size; at += 4096) {
		uint64_t entry = 0, flag = 0;

		if (pread(maps, &entry, 8, (uintptr_t)(p + at) / 4096 * 8) != 8 ||
		    pread(flags, &flag, 8, (entry & ((1ULL << 55) - 1)) * 8) != 8)
			return 1;
		if (!(flag & (3ULL << 15))) {
			memcpy(copy, p + at, 4096);
			copied++;
		}
	}
	printf("copied %d\n", copied);
	return 0;
}
