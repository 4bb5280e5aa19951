// SPDX-License-Identifier: GPL-2.0-only
/* different-work: asks about four times as many pages with each move_pages() on kernels other than 6.12. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PAGES = 256 };

int main(void)
{
	char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	static void *pages[PAGES];
	static int status[PAGES];
	struct utsname names;
	size_t count = PAGES / 4;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		count *= 4;
	for (int i = 0; i < PAGES; i++)
		pages[i] = p + i * 4096;
	for (int i = 0; i < 20; i++)
		syscall(SYS_move_pages, 0, count, pages, NULL, status, 0);
	return 0;
}
