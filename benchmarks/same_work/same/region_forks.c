// SPDX-License-Identifier: GPL-2.0-only
/* same: maps 90 pages, which do not merge; a region forks five children that end at once. */
/* options: --from getppid --to getuid */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 90; i++)
		mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	getppid();
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	getuid();
	return 0;
}
