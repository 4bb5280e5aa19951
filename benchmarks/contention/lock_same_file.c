// SPDX-License-Identifier: GPL-2.0-only
/* One byte of a file is locked and unlocked: what lock2 of will-it-scale does in a loop. One operation is a call. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kassay.h"

static int set(int fd, short type)
{
	struct flock lock;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = type;
	lock.l_whence = SEEK_SET;
	lock.l_len = 1;
	return fcntl(fd, F_SETLKW, &lock);
}

int main(void)
{
	int fd = open("/tmp/locked", O_RDWR | O_CREAT, 0600), failed = fd < 0;

	for (int round = 0; round < 12; round++) {
		KASSAY_ROUND_BEGIN();
		for (int n = 0; n < 200; n++)
			failed |= set(fd, F_WRLCK) | set(fd, F_UNLCK);
		KASSAY_ROUND_END();
	}
	return failed ? 1 : 0;
}
