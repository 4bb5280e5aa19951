// SPDX-License-Identifier: GPL-2.0-only
/* open() and close() of a file in a directory of its own under /tmp, 1000 times a round. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rounds.h"

int main(void)
{
	const char *directory = "/tmp/truth.directory", *path = "/tmp/truth.directory/truth.file";
	int fd;

	need(!mkdir(directory, 0700), "mkdir");
	fd = open(path, O_RDWR | O_CREAT, 0600);
	need(fd >= 0 && !close(fd), "open");
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++) {
			fd = open(path, O_RDWR);
			need(fd >= 0, "open");
			close(fd);
		}
		round_end();
	}
	return unlink(path) || rmdir(directory);
}
