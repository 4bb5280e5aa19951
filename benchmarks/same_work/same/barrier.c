// SPDX-License-Identifier: GPL-2.0-only
/* same: four threads meet at a barrier 100 times. */
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *unused)
{
	for (int i = 0; i < 100; i++)
		pthread_barrier_wait(&barrier);
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, meet, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
