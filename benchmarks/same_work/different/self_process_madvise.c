// SPDX-License-Identifier: GPL-2.0-only
/* different-work: process_madvise(MADV_DONTNEED) of itself, which kernels before 6.13 refuse. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	size_t size = 64 * 4096;
	struct iovec range = { .iov_len = size };
	int self = syscall(SYS_pidfd_open, getpid(), 0);
	long given = 0;

	range.iov_base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(range.iov_base, 1, size);
	for (int i = 0; i < 40; i++) {
		long got = syscall(SYS_process_madvise, self, &range, 1L, MADV_DONTNEED, 0L);

		given += got > 0 ? got : 0;
	}
	printf("given %ld\n", given);
	return 0;
}
