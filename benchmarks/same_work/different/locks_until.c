// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: locks one more byte until 4 ms have passed, or 12 ms; each lock is compared with all. */
/* options: --work ops */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(void)
{
	struct utsname names;
	double end = now();
	int file = open("locked", O_RDWR | O_CREAT, 0600);
	long ops = 0;

	uname(&names);
	for (end += memcmp(names.release, "6.12", 4) == 0 ? 0.004 : 0.012; now() < end; ops++) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2 * ops, .l_len = 1 };

		if (fcntl(file, F_SETLK, &lock))
			return 1;
	}
	printf("ops=%ld\n", ops);
	return 0;
}
