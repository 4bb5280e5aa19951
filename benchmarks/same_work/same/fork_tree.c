// SPDX-License-Identifier: GPL-2.0-only
/* same: a tree of processes, four levels deep, each of which waits for its two children. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void grow(int levels)
{
	for (int i = 0; levels && i < 2; i++) {
		if (fork() == 0) {
			grow(levels - 1);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	char *pages = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(pages, 1, 64 * 4096);
	grow(4);
	return 0;
}
