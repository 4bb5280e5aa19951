// SPDX-License-Identifier: GPL-2.0-only
/* access() of a path of eight parts, 1000 times a round. */
#include "paths.h"

int main(void)
{
	char path[256] = "/tmp";

	make_path(path, 6);
	for (int round = 0; round < ROUNDS; round++) {
		round_begin();
		for (int i = 0; i < CALLS; i++)
			need(!access(path, R_OK), "access");
		round_end();
	}
	return 0;
}
