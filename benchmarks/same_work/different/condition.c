// SPDX-License-Identifier: GPL-2.0-only
/* different-work: two threads hand a token to each other 200 times; the scheduler decides how often they wait for it. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void play(int mine)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		while (turn != mine)
			pthread_cond_wait(&turned, &lock);
		turn = !mine;
		pthread_cond_signal(&turned);
		pthread_mutex_unlock(&lock);
	}
}

static void *second(void *unused)
{
	play(1);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, second, NULL);
	play(0);
	pthread_join(thread, NULL);
	return 0;
}
