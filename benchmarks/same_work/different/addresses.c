// SPDX-License-Identifier: GPL-2.0-only
/* different-work: turns depend on the addresses of vDSO, stack and a mapping. */
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>

int main(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR), stack = (uintptr_t)&p;
	int turns = ((vdso ^ stack ^ (uintptr_t)p) >> 12) % 256;

	for (int i = 0; i < turns; i++)
		((volatile char *)p)[i * 4096] = 1;
	printf("turns %d\n", turns);
	return 0;
}
