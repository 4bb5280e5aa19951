// SPDX-License-Identifier: GPL-2.0-only
/*
 * process_madvise(MADV_DONTNEED) of 8 MiB in ranges of one page, as many in a call as the argument says. The pages are
 * written before each round.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rounds.h"

#define PAGE 4096
#define PAGES 2048
#define MOST 1024

int main(int argc, char **argv)
{
	static struct iovec ranges[PAGES];
	int batch = argc > 1 ? atoi(argv[1]) : 1;
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(self >= 0, "pidfd_open");
	need(memory != MAP_FAILED && !madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE), "mmap");
	need(batch > 0 && batch <= MOST && PAGES % batch == 0, "argument: a batch that divides 2048");
	for (int i = 0; i < PAGES; i++)
		ranges[i] = (struct iovec){ memory + (long)i * PAGE, PAGE };
	for (int round = 0; round < ROUNDS; round++) {
		memset(memory, 1, PAGES * PAGE);
		round_begin();
		for (int i = 0; i < PAGES; i += batch)
			need(syscall(SYS_process_madvise, self, ranges + i, batch, MADV_DONTNEED, 0) == (long)batch * PAGE,
			     "process_madvise");
		round_end();
	}
	return 0;
}
