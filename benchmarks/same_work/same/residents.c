// SPDX-License-Identifier: GPL-2.0-only
/* same: asks mincore() for 1024 pages, every second of which is resident, 50 times. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	static unsigned char vector[1024];
	char *p = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 4 << 20, MADV_NOHUGEPAGE);
	for (int i = 0; i < 1024; i += 2)
		p[i * 4096] = 1;
	for (int i = 0; i < 50; i++)
		mincore(p, 4 << 20, vector);
	return 0;
}
