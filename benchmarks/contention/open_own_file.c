// SPDX-License-Identifier: GPL-2.0-only
/* A file is opened and closed: what open1 of will-it-scale does in a loop. One operation is an open and a close. */
#include <fcntl.h>
#include <unistd.h>

#include "kassay.h"

int main(void)
{
	int fd = open("/tmp/opened", O_RDWR | O_CREAT, 0600), failed = fd < 0;

	close(fd);
	for (int round = 0; round < 12; round++) {
		KASSAY_ROUND_BEGIN();
		for (int n = 0; n < 400; n++) {
			fd = open("/tmp/opened", O_RDWR);
			failed |= fd < 0;
			close(fd);
		}
		KASSAY_ROUND_END();
	}
	return failed ? 1 : 0;
}
