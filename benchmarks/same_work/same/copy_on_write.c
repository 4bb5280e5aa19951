// SPDX-License-Identifier: GPL-2.0-only
/* same: forks five times; each child writes 128 pages of its parent's. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	size_t size = 128 * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(p, 1, size);
	for (int i = 0; i < 5; i++) {
		if (fork() == 0) {
			memset(p, 2, size);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
