// SPDX-License-Identifier: GPL-2.0-only
/* A stand-in for QEMU: a program that reads the host's time in two threads, before and after it is held. */
#include <pthread.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "host_time.h"

static void *read_time(void *words)
{
	struct timeval times[3];

	for (int i = 0; i < 3; i++) {
		gettimeofday(&times[i], NULL);
		usleep(3000);
	}
	printf("%s", (char *)words);
	for (int i = 0; i < 3; i++)
		printf(" %ld", times[i].tv_sec * 1000000 + times[i].tv_usec);
	puts("");
	return NULL;
}

int main(void)
{
	struct timeval before;
	pthread_t thread;

	gettimeofday(&before, NULL);
	printf("before %d\n", before.tv_sec > 1000000000);
	host_time_hold();
	read_time("held");
	pthread_create(&thread, NULL, read_time, "thread");
	pthread_join(thread, NULL);
	return 0;
}
