// SPDX-License-Identifier: GPL-2.0-only
/* same: splits a mapping into 128 by mprotect(), and lets them merge again. */
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 128 * 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 128; i++)
		mprotect(p + i * 8192, 4096, PROT_READ);
	for (int i = 0; i < 128; i++)
		mprotect(p + i * 8192, 4096, PROT_READ | PROT_WRITE);
	return 0;
}
