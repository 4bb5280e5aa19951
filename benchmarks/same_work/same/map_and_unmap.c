// SPDX-License-Identifier: GPL-2.0-only
/* same: maps 64 KiB, touches each page and unmaps them, 200 times. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	for (int i = 0; i < 200; i++) {
		char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int at = 0; at < 65536; at += 4096)
			p[at] = 1;
		munmap(p, 65536);
	}
	return 0;
}
