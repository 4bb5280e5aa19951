// SPDX-License-Identifier: GPL-2.0-only
/* same: maps, touches, splits and forks in turn, so that each fork finds more memory than the one before. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	size_t length = 1UL << 20;

	for (int i = 0; i < 20; i++) {
		char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t at = 0; at < length; at += 4096)
			p[at] = 1;
		mprotect(p, 4096, PROT_READ);
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	return 0;
}
