// SPDX-License-Identifier: GPL-2.0-only
/*
 * two_threads SAMPLES
 *
 * One and two threads, each on a CPU of its own, add to a counter: by an atomic instruction, and under three locks, with
 * and without work outside. Prints "NAME THINK THREADS NS" for each sample in which no thread lost its CPU: nanoseconds
 * of an operation of one thread, while both ran. "transfer 0 2 NS" is half of a round trip of a line.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define ALIGNED __attribute__((aligned(128)))
#define OPERATIONS 20000
#define MOST_THREADS 2

struct node {
	_Atomic(struct node *) next ALIGNED;
	_Atomic int waits;
};

static struct {
	_Atomic uint64_t next ALIGNED;
	_Atomic uint64_t serving ALIGNED;
	_Atomic int taken ALIGNED;
	_Atomic(struct node *) tail ALIGNED;
	volatile uint64_t counter ALIGNED;
	_Atomic uint64_t shared ALIGNED;
	_Atomic uint64_t turn ALIGNED;
	_Atomic int ready ALIGNED;
} s;

static struct node nodes[MOST_THREADS];

static void work(uint64_t count)
{
	for (uint64_t n = 0; n < count; n++)
		__asm__ volatile("" ::: "memory");
}

static void add(int thread)
{
	(void)thread;
	atomic_fetch_add(&s.shared, 1);
}

static void ticket(int thread)
{
	uint64_t mine = atomic_fetch_add(&s.next, 1);

	(void)thread;
	while (atomic_load_explicit(&s.serving, memory_order_acquire) != mine)
		;
	s.counter++;
	atomic_store_explicit(&s.serving, mine + 1, memory_order_release);
}

/* The order of a queued spinlock: each waiter reads a line of its own. */
static void queued(int thread)
{
	struct node *own = &nodes[thread], *before, *next;

	atomic_store_explicit(&own->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&own->waits, 1, memory_order_relaxed);
	before = atomic_exchange(&s.tail, own);
	if (before) {
		atomic_store_explicit(&before->next, own, memory_order_release);
		while (atomic_load_explicit(&own->waits, memory_order_acquire))
			;
	}
	s.counter++;
	next = atomic_load_explicit(&own->next, memory_order_acquire);
	if (!next) {
		struct node *expected = own;

		if (atomic_compare_exchange_strong(&s.tail, &expected, NULL))
			return;
		while (!(next = atomic_load_explicit(&own->next, memory_order_acquire)))
			;
	}
	atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void mutex(int thread)
{
	int expected = 0;

	(void)thread;
	while (!atomic_compare_exchange_strong(&s.taken, &expected, 1)) {
		while (atomic_load_explicit(&s.taken, memory_order_relaxed))
			;
		expected = 0;
	}
	s.counter++;
	atomic_store_explicit(&s.taken, 0, memory_order_release);
}

/* Half of a round trip: each thread waits for its turn. */
static void transfer(int thread)
{
	while ((atomic_load_explicit(&s.turn, memory_order_acquire) & 1) != (uint64_t)thread)
		;
	atomic_store_explicit(&s.turn, atomic_load_explicit(&s.turn, memory_order_relaxed) + 1, memory_order_release);
}

static const struct {
	const char *name;
	void (*once)(int thread);
	int least; /* threads */
} tests[] = {
	{ "transfer", transfer, 2 }, { "atomic add", add, 1 }, { "ticket lock", ticket, 1 },
	{ "queued lock", queued, 1 }, { "mutex", mutex, 1 },
};

static const uint64_t thinks[] = { 0, 400 };

struct job {
	int number, threads, test, lost;
	uint64_t think;
	double start, end;
};

static int cpu_number(int number)
{
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && number-- == 0)
			return cpu;
	return -1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

static void *run(void *argument)
{
	struct job *job = argument;
	long before;

	atomic_fetch_add(&s.ready, 1);
	while (atomic_load(&s.ready) < job->threads)
		;
	before = switches();
	job->start = now();
	for (int n = 0; n < OPERATIONS; n++) {
		tests[job->test].once(job->number);
		work(job->think);
	}
	job->end = now();
	job->lost = switches() != before;
	return NULL;
}

static void sample(const char *name, int test, uint64_t think, int threads)
{
	struct job jobs[MOST_THREADS];
	pthread_t ids[MOST_THREADS];
	double ns = 0, first = 0, last = 0;
	int lost = 0;

	atomic_store(&s.ready, 0);
	atomic_store(&s.turn, 0);
	for (int n = 0; n < threads; n++) {
		pthread_attr_t attributes;
		cpu_set_t only;

		jobs[n] = (struct job){ n, threads, test, 0, think, 0, 0 };
		CPU_ZERO(&only);
		CPU_SET(cpu_number(n), &only);
		pthread_attr_init(&attributes);
		pthread_attr_setaffinity_np(&attributes, sizeof(only), &only);
		if (pthread_create(&ids[n], &attributes, run, &jobs[n]))
			exit(1);
		pthread_attr_destroy(&attributes);
	}
	for (int n = 0; n < threads; n++) {
		pthread_join(ids[n], NULL);
		ns += (jobs[n].end - jobs[n].start) / OPERATIONS / threads;
		lost |= jobs[n].lost;
		first = n && jobs[n].start > first ? first : jobs[n].start;
		last = n && jobs[n].start < last ? last : jobs[n].start;
	}
	/* Both ran all the time. */
	if (!lost && last - first < 0.02 * OPERATIONS * ns)
		printf("%s\t%d\t%d\t%.2f\n", name, think ? 1 : 0, threads, ns);
}

int main(int count, char **arguments)
{
	int samples = count > 1 ? atoi(arguments[1]) : 11;

	if (cpu_number(1) < 0)
		return 2;
	for (int n = 0; n < samples; n++)
		for (unsigned int test = 0; test < sizeof(tests) / sizeof(tests[0]); test++)
			for (int threads = tests[test].least; threads <= MOST_THREADS; threads++)
				for (unsigned int think = 0; think < (test ? 2 : 1); think++)
					sample(tests[test].name, (int)test, thinks[think], threads);
	return 0;
}
