// SPDX-License-Identifier: GPL-2.0-only
/* different-work: one thread makes calls until another, which sleeps 1 ms, tells it to stop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop;

static void *sleeper(void *unused)
{
	const struct timespec moment = { 0, 1000000 };

	nanosleep(&moment, NULL);
	atomic_store(&stop, 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	long calls = 0;

	pthread_create(&thread, NULL, sleeper, NULL);
	while (!atomic_load(&stop)) {
		syscall(SYS_getppid);
		calls++;
	}
	pthread_join(thread, NULL);
	printf("calls %ld\n", calls);
	return 0;
}
