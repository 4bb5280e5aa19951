// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: names a range to pagemap, move_pages() and others; other than on 6.12 it is empty. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PAGES 1024
#define LENGTH (PAGES * 4096UL)

static char *map(void)
{
	char *p = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, LENGTH, MADV_NOHUGEPAGE);
	return p;
}

/* Makes the pages of a range writable and not, which a handler of faults would be told of. */
static void protect(char *p)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_range range = { (unsigned long)p, LENGTH };
	struct uffdio_register wanted = { .range = range, .mode = UFFDIO_REGISTER_MODE_WP };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	ioctl(fd, UFFDIO_API, &api);
	ioctl(fd, UFFDIO_REGISTER, &wanted);
	for (int i = 0; i < 20; i++) {
		struct uffdio_writeprotect how = { .range = range, .mode = i & 1 ? 0 : UFFDIO_WRITEPROTECT_MODE_WP };

		ioctl(fd, UFFDIO_WRITEPROTECT, &how);
	}
}

int main(void)
{
	static unsigned long found[3 * 64], entries[PAGES];
	char *p = map(), *other = map();
	static void *pages[PAGES];
	static int places[PAGES];
	struct iovec range = { p, LENGTH };
	int file = open("/proc/self/pagemap", O_RDONLY), itself = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct utsname names;

	uname(&names);
	memset(memcmp(names.release, "6.12", 4) ? other : p, 1, LENGTH);
	for (int i = 0; i < PAGES; i++)
		pages[i] = p + i * 4096UL;
	for (int i = 0; i < 10; i++) {
		unsigned long scan[12] = { 96, 0, (unsigned long)p, (unsigned long)p + LENGTH, 0, (unsigned long)found, 64,
					   0, 0, 8, 0, 8 }; /* struct pm_scan_arg: pages that are present */

		ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, 96), scan);
		pread(file, entries, sizeof(entries), (off_t)((unsigned long)p / 4096 * 8));
		syscall(SYS_move_pages, 0, (unsigned long)PAGES, pages, NULL, places, 0);
		syscall(SYS_process_madvise, itself, &range, 1, MADV_COLD, 0);
	}
	protect(p);
	return 0;
}
