// SPDX-License-Identifier: GPL-2.0-only
/* different-work: moves the break four times as far on kernels other than 6.12, where all memory is locked at once. */
#define _DEFAULT_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct utsname names;
	intptr_t size = 32 * 4096;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		size *= 4;
	mlockall(MCL_FUTURE);
	for (int i = 0; i < 10; i++) {
		sbrk(size);
		sbrk(-size);
	}
	return 0;
}
