// SPDX-License-Identifier: GPL-2.0-only
/* same: io_uring does 16 empty operations at once, 40 times. */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef IORING_SETUP_NO_SQARRAY
#define IORING_SETUP_NO_SQARRAY (1U << 16)
#endif

enum { ENTRIES = 128 };

int main(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_NO_SQARRAY };
	unsigned int count = 16, *head, *tail, *done;
	int ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &params);
	char *rings;

	if (ring < 0)
		return 1;
	rings = mmap(NULL, params.cq_off.cqes + 2 * ENTRIES * 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, 0);
	/* An operation of zeroes is IORING_OP_NOP. */
	mmap(NULL, ENTRIES * 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	tail = (unsigned int *)(rings + params.sq_off.tail);
	head = (unsigned int *)(rings + params.cq_off.head);
	done = (unsigned int *)(rings + params.cq_off.tail);
	for (int i = 0; i < 400; i++) {
		__atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, ring, count, count, IORING_ENTER_GETEVENTS, NULL, 0) != (long)count)
			return 2;
		__atomic_store_n(head, *done, __ATOMIC_RELEASE);
	}
	return 0;
}
