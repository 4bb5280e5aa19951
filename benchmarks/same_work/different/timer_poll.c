// SPDX-License-Identifier: GPL-2.0-only
/* different-work: asks a timer that is not to block for its expiry until 1 ms has passed; most calls fail (EAGAIN). */
#include <stdint.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void)
{
	struct itimerspec when = { .it_value = { 0, 1000000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	uint64_t expired;
	long tries = 1;

	timerfd_settime(fd, 0, &when, NULL);
	while (read(fd, &expired, sizeof(expired)) < 0)
		tries++;
	printf("tries %ld\n", tries);
	return 0;
}
