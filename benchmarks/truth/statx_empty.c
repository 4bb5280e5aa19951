// SPDX-License-Identifier: GPL-2.0-only
/* statx() of an open file by an empty path, 1000 times a round. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rounds.h"

int main(void)
{
	char path[] = "/tmp/truth.XXXXXX";
	int fd = mkstemp(path);
	struct statx found;

	need(fd >= 0 && !unlink(path), "mkstemp");
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++)
			need(!statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found), "statx");
		round_end();
	}
	return 0;
}
