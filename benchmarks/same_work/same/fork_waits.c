// SPDX-License-Identifier: GPL-2.0-only
/* same: the same as fork_race, but the parent waits for each child before it writes. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 1500

int main(void)
{
	char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		p[i * 4096] = 1;
	for (int round = 0; round < 6; round++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		for (int i = 0; i < PAGES; i++)
			p[i * 4096]++;
	}
	return 0;
}
