// SPDX-License-Identifier: GPL-2.0-only
/* A record lock of one byte of a file is taken and given back, 1000 times a round: 2000 calls of fcntl(). */
#include <fcntl.h>
#include <unistd.h>

#include "rounds.h"

int main(void)
{
	char path[] = "/tmp/truth.XXXXXX";
	int fd = mkstemp(path);

	need(fd >= 0 && !unlink(path), "mkstemp");
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++) {
			struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

			need(!fcntl(fd, F_SETLKW, &lock), "lock");
			lock.l_type = F_UNLCK;
			need(!fcntl(fd, F_SETLKW, &lock), "unlock");
		}
		round_end();
	}
	return 0;
}
