// SPDX-License-Identifier: GPL-2.0-only
/* Each page of a shared mapping of a file is written, dropped by MADV_DONTNEED and read again: 1000 pages a round. */
#include <sys/mman.h>
#include <unistd.h>

#include "rounds.h"

#define PAGE 4096L

int main(void)
{
	char path[] = "/tmp/truth.XXXXXX";
	int fd = mkstemp(path);

	need(fd >= 0 && !unlink(path) && !ftruncate(fd, CALLS * PAGE), "mkstemp");
	for (int round = 0; round < ROUNDS; round++) {
		volatile char *memory = mmap(NULL, CALLS * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		need(memory != MAP_FAILED, "mmap");
		round_begin();
		for (int i = 0; i < CALLS; i++) {
			memory[i * PAGE] = 1;
			need(!madvise((char *)memory + i * PAGE, PAGE, MADV_DONTNEED), "madvise");
			need(memory[i * PAGE] == 1, "read");
		}
		round_end();
		munmap((void *)memory, CALLS * PAGE);
	}
	return 0;
}
