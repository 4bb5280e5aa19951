// SPDX-License-Identifier: GPL-2.0-only
/* same: a thread hands 400 pages to another in a queue of four; SCHED_FIFO decides how often they wait. */
/* options: --sched fifo */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#define PAGES 400
#define ROOM 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static char *queue[ROOM];
static unsigned int put, taken;

static void *producer(void *pages)
{
	for (int i = 0; i < PAGES; i++) {
		char *page = (char *)pages + i * 4096L;

		*page = 1;
		pthread_mutex_lock(&lock);
		while (put - taken == ROOM)
			pthread_cond_wait(&emptied, &lock);
		queue[put++ % ROOM] = page;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	char *pages = mmap(NULL, PAGES * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	int sum = 0;

	if (pages == MAP_FAILED || pthread_create(&thread, NULL, producer, pages))
		return 1;
	for (int i = 0; i < PAGES; i++) {
		pthread_mutex_lock(&lock);
		while (put == taken)
			pthread_cond_wait(&filled, &lock);
		sum += *queue[taken++ % ROOM];
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(thread, NULL);
	printf("sum %d\n", sum);
	return sum != PAGES;
}
