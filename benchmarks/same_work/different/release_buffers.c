// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: registers a buffer of 64 pages with io_uring, and on kernels other than 6.12 of 1024. */
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	size_t length = 4UL << 20;
	struct io_uring_params params = { 0 };
	struct utsname names;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec buffer = { p, length };
	int ring = (int)syscall(SYS_io_uring_setup, 4, &params);

	madvise(p, length, MADV_NOHUGEPAGE);
	memset(p, 1, length);
	uname(&names);
	if (!memcmp(names.release, "6.12", 4))
		buffer.iov_len = 64 * 4096;
	for (int i = 0; i < 30; i++) {
		if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, &buffer, 1))
			return 1;
		syscall(SYS_io_uring_register, ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
	}
	return 0;
}
