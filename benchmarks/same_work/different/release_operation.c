// SPDX-License-Identifier: GPL-2.0-only
/* different-work: io_uring reads 1 KiB of a file 200 times, and on kernels other than 6.12 64 KiB. */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static char data[65536];
	struct io_uring_params asked = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 8, &asked), file = memfd_create("read", 0);
	int how = PROT_READ | PROT_WRITE;
	char *indices = mmap(NULL, asked.sq_off.array + 32, how, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries = mmap(NULL, 512, how, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	char *done = mmap(NULL, asked.cq_off.cqes + asked.cq_entries * 16, how, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	unsigned int length = 1024;
	struct utsname names;

	uname(&names);
	length += (memcmp(names.release, "6.12", 4) != 0) * 64512U;
	if (ring < 0 || write(file, data, sizeof(data)) != sizeof(data))
		return 1;
	for (unsigned int i = 0; i < 200; i++) {
		entries[i & 7] = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = file, .len = length,
							.addr = (unsigned long)data };
		((unsigned int *)(indices + asked.sq_off.array))[i & 7] = i & 7;
		*(volatile unsigned int *)(indices + asked.sq_off.tail) = i + 1;
		if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
			return 1;
		*(volatile unsigned int *)(done + asked.cq_off.head) = i + 1;
	}
	return 0;
}
