// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: three threads take 400 items from a fourth; how often they wait is the scheduler's. */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int items, done;

static void *consume(void *unused)
{
	int left = 1;

	while (left) {
		pthread_mutex_lock(&mutex);
		while (!items && !done)
			pthread_cond_wait(&more, &mutex);
		left = items;
		items -= left > 0;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, consume, NULL);
	for (int i = 0; i < 400; i++) {
		pthread_mutex_lock(&mutex);
		while (items >= 4)
			pthread_cond_wait(&room, &mutex);
		items++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
