// SPDX-License-Identifier: GPL-2.0-only
/* different-work: a thread yields until another has slept 50 times for 10 us; how often depends on kernel and timers. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_int done;

static void *sleeper(void *unused)
{
	const struct timespec moment = { 0, 10000 };

	for (int i = 0; i < 50; i++)
		nanosleep(&moment, NULL);
	atomic_store(&done, 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	long yields = 0;

	pthread_create(&thread, NULL, sleeper, NULL);
	while (!atomic_load(&done)) {
		sched_yield();
		yields++;
	}
	pthread_join(thread, NULL);
	printf("yields %ld\n", yields);
	return 0;
}
