// SPDX-License-Identifier: GPL-2.0-only
/* different-work: write-protects, by userfaultfd, four times as much at once on kernels other than 6.12. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { SIZE = 256 * 4096 };

int main(void)
{
	char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int file = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register area = { .range = { (unsigned long)p, SIZE }, .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect on = { .range = { (unsigned long)p, SIZE / 4 }, .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	struct utsname names;

	if (file < 0 || ioctl(file, UFFDIO_API, &api) || ioctl(file, UFFDIO_REGISTER, &area))
		return 1;
	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		on.range.len *= 4;
	for (int i = 0; i < 20; i++) {
		on.mode = UFFDIO_WRITEPROTECT_MODE_WP;
		ioctl(file, UFFDIO_WRITEPROTECT, &on);
		on.mode = 0;
		ioctl(file, UFFDIO_WRITEPROTECT, &on);
	}
	return 0;
}
