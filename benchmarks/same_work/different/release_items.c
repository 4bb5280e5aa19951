// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: process_madvise() of 128 ranges; on kernels other than 6.12 most have no pages. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#define RANGES 128

static const size_t length = 64UL << 10;

int main(void)
{
	char *p = mmap(NULL, 2 * RANGES * length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec ranges[RANGES];
	struct utsname names;
	int newer, fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	uname(&names);
	newer = memcmp(names.release, "6.12", 4) != 0;
	madvise(p, 2 * RANGES * length, MADV_NOHUGEPAGE);
	memset(p, 1, RANGES * length);
	for (int i = 0; i < RANGES; i++)
		ranges[i] = (struct iovec){ p + (i >= 40 && newer ? RANGES + i : i) * length, length };
	for (int i = 0; i < 20; i++)
		syscall(SYS_process_madvise, fd, ranges, RANGES, MADV_COLD, 0);
	return 0;
}
