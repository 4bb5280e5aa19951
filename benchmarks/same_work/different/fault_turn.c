// SPDX-License-Identifier: GPL-2.0-only
/* same: asks how many faults ten children took, and opens files for each. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	struct rusage usage;

	for (int i = 0; i < 10; i++) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &usage);
	for (long i = 0; i < usage.ru_minflt * 4; i++)
		close(open("/proc/self/stat", O_RDONLY));
	printf("faults %ld\n", usage.ru_minflt);
	return 0;
}
