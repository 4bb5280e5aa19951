// SPDX-License-Identifier: GPL-2.0-only
/* same: counts until a timer has fired 20 times; how far it comes is the same to 0.2 %. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int ticks;

static void tick(int signal)
{
	(void)signal;
	ticks++;
}

int main(void)
{
	struct itimerval timer = { .it_interval.tv_usec = 1000, .it_value.tv_usec = 1000 };
	volatile unsigned long count = 0;

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (ticks < 20)
		count++;
	printf("count %lu\n", count);
	return 0;
}
