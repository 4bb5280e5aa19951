// SPDX-License-Identifier: GPL-2.0-only
/* same: sleeps ten times for 100 us. */
#include <time.h>

int main(void)
{
	const struct timespec moment = { 0, 100000 };

	for (int i = 0; i < 10; i++)
		nanosleep(&moment, NULL);
	return 0;
}
