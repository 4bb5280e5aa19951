// SPDX-License-Identifier: GPL-2.0-only
/* same: starts eight threads that compute, and joins them. */
#include <pthread.h>

static void *compute(void *unused)
{
	for (volatile int i = 0; i < 20000; i++)
		;
	return unused;
}

int main(void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, compute, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
