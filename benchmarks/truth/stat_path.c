// SPDX-License-Identifier: GPL-2.0-only
/* stat() of a path of four parts, 1000 times a round. */
#include "paths.h"

int main(void)
{
	char path[256] = "/tmp";
	struct stat found;

	make_path(path, 2);
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++)
			need(!stat(path, &found), "stat");
		round_end();
	}
	return 0;
}
