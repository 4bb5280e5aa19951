// SPDX-License-Identifier: GPL-2.0-only
/* different-work: reads 300 pages of a file into one page, and on kernels other than 6.12 into a page for each. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	size_t stride, pages = 300;
	struct utsname names;
	char *p;
	int file = open("/read-file", O_RDWR | O_CREAT, 0600);

	uname(&names);
	stride = (size_t)(memcmp(names.release, "6.12", 4) != 0) * 4096;
	p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ftruncate(file, 4096))
		return 1;
	for (size_t i = 0; i < pages; i++) {
		if (pread(file, p + i * stride, 4096, 0) != 4096)
			return 1;
	}
	return 0;
}
