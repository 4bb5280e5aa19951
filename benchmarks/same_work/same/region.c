// SPDX-License-Identifier: GPL-2.0-only
/* same: a region changes a protection; before it all pages are touched, and the clock is read until 200 us have passed. */
/* options: --from getppid --to getuid */
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
	size_t length = 4UL << 20;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long end = now() + 200000;

	madvise(p, length, MADV_NOHUGEPAGE);
	while (now() < end)
		;
	for (size_t at = 0; at < length; at += 4096)
		p[at] = 1;
	for (int round = 0; round < 4; round++) {
		getppid();
		for (int i = 0; i < 20; i++) {
			mprotect(p, length, PROT_READ);
			mprotect(p, length, PROT_READ | PROT_WRITE);
		}
		getuid();
	}
	return 0;
}
