// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: getrandom() decides how much of a range has pages whose protection changes. */
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

int main(void)
{
	size_t mb = 1UL << 20;
	char *p = mmap(NULL, 64 * mb, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char chosen;

	madvise(p, 64 * mb, MADV_NOHUGEPAGE);
	if (getrandom(&chosen, 1, 0) != 1)
		return 1;
	memset(p + (chosen & 7) * mb, 1, 8 * mb);
	for (int i = 0; i < 50; i++) {
		mprotect(p, 8 * mb, PROT_READ);
		mprotect(p, 8 * mb, PROT_READ | PROT_WRITE);
	}
	return 0;
}
