// SPDX-License-Identifier: GPL-2.0-only
/* different-work: a thread spins until another has taken 2400 faults; it spins for as long as the kernel takes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

static atomic_int done;

static void work(char *p)
{
	for (int at = 0; at < 8 * 4096; at += 4096)
		p[at] = 1;
	madvise(p, 8 * 4096, MADV_DONTNEED);
}

static void *worker(void *unused)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 300; i++)
		work(p);
	atomic_store(&done, 1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	long spins = 0;

	pthread_create(&thread, NULL, worker, NULL);
	while (!atomic_load(&done))
		spins++;
	pthread_join(thread, NULL);
	printf("spins %ld\n", spins);
	return 0;
}
