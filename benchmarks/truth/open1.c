// SPDX-License-Identifier: GPL-2.0-only
/* open() and close() of a file of its own in /tmp, 1000 times a round. */
#include <fcntl.h>
#include <unistd.h>

#include "rounds.h"

int main(void)
{
	char path[] = "/tmp/truth.XXXXXX";
	int fd = mkstemp(path);

	need(fd >= 0 && !close(fd), "mkstemp");
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++) {
			fd = open(path, O_RDWR);
			need(fd >= 0, "open");
			close(fd);
		}
		round_end();
	}
	return unlink(path);
}
