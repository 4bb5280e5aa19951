// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: reads 1 MiB of a file in memory 20 times; on kernels other than 6.12 holes. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LENGTH (1L << 20)

static char *map(int file)
{
	return ftruncate(file, LENGTH) ? NULL : mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

int main(void)
{
	static char data[65536];
	int file = memfd_create("file", 0), other = memfd_create("other", 0);
	char *p = map(file), *of_other = map(other);
	struct utsname names;

	uname(&names);
	memset(memcmp(names.release, "6.12", 4) ? of_other : p, 1, LENGTH);
	for (int i = 0; i < 20; i++) {
		for (off_t at = 0; at < LENGTH; at += sizeof(data))
			pread(file, data, sizeof(data), at);
	}
	return 0;
}
