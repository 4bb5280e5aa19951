// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: a thread tries a lock and sleeps 20 us whenever it is held; how often is chance. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(char *p)
{
	for (int at = 0; at < 8 * 4096; at += 4096)
		p[at] = 1;
	madvise(p, 8 * 4096, MADV_DONTNEED);
}

static void *holder(void *unused)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 150; i++)
		work(p);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	const struct timespec moment = { 0, 20000 };
	pthread_t thread;
	int sleeps = 1;

	pthread_create(&thread, NULL, holder, NULL);
	nanosleep(&moment, NULL);
	while (pthread_mutex_trylock(&lock)) {
		nanosleep(&moment, NULL);
		sleeps++;
	}
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	printf("sleeps %d\n", sleeps);
	return 0;
}
