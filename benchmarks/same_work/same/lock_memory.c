// SPDX-License-Identifier: GPL-2.0-only
/* same: locks 1 MiB into memory, which populates it, and unlocks it, five times. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	for (int i = 0; i < 5; i++) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mlock(p, 1 << 20);
		munmap(p, 1 << 20);
	}
	return 0;
}
