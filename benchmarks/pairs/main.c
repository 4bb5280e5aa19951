// SPDX-License-Identifier: GPL-2.0-only
/*
 *	pairs list                      the names of all sides
 *	pairs time SAMPLES BASE HEAD    nanoseconds of an operation, base and head in turn; for the host
 *	pairs mark SIDE...              three marked rounds of each, for the guest: a warm one, one that is answered for,
 *	                                and an empty one, which ends what is recorded before the next side is prepared
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include "kassay.h"
#include "pair.h"

/* Long enough for a clock, short enough to be left alone by other tasks. */
#define SAMPLE_NS 400000
#define TURNS_OF_THE_CLOCK 200000L

static const struct side *const groups[] = {
	alu_sides, forwarding_sides, atomic_sides, memory_sides, branch_sides, call_sides, string_sides, system_sides,
	mixed_sides,
};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "pairs: %s %s\n", what, name);
	exit(2);
}

void *pages_of(size_t size)
{
	void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED)
		fail("no memory for", "a side");
	madvise(made, size, MADV_NOHUGEPAGE);
	memset(made, 0, size);
	return made;
}

static struct work work_of(const char *text)
{
	struct work w = { .random = 88172645463325252ull };
	char name[64];
	size_t group;
	const struct side *s;

	if (sscanf(text, "%63[^:]:%ld:%ld", name, &w.a, &w.b) < 1)
		fail("no name in", text);
	for (group = 0; group < sizeof(groups) / sizeof(*groups); group++)
		for (s = groups[group]; s->name; s++)
			if (!strcmp(s->name, name))
				w.side = s;
	if (!w.side)
		fail("no side", name);
	w.lap = w.side->lap ? w.side->lap : LAP;
	if (w.side->prepare) {
		w.side->prepare(&w);
	} else {
		w.size = 64 << 10;
		w.memory = pages_of(w.size);
	}
	return w;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static long switches(void)
{
	struct rusage used;

	getrusage(RUSAGE_THREAD, &used);
	return used.ru_nivcsw;
}

/* Nanoseconds of an operation; below 0 when another task was let in. */
static double timed(struct work *w, long n)
{
	long before = switches();
	double start = now_ns(), end;

	w->side->run(w, n);
	end = now_ns();
	return switches() == before ? (end - start) / n : -1;
}

/* Operations of a sample: a lap where that does not take long, and SAMPLE_NS at least. */
static long operations(struct work *w)
{
	long n = w->lap;

	w->side->run(w, n);
	while (n < 1L << 30) {
		double start = now_ns(), took;

		w->side->run(w, n);
		took = now_ns() - start;
		if (took >= SAMPLE_NS)
			return took > 20.0 * SAMPLE_NS ? (long)(n * 20.0 * SAMPLE_NS / took) : n;
		n *= 2;
	}
	return n;
}

/* Clock cycles in a nanosecond: a chain of additions is a cycle each. */
static double gigahertz(void)
{
	long n = TURNS_OF_THE_CLOCK;
	double start = now_ns();

	__asm__ volatile(".p2align 6\n1: .rept 8; add $1, %%rax; .endr; dec %0; jnz 1b" : "+r"(n) :: "rax", "cc");
	return TURNS_OF_THE_CLOCK * 8 / (now_ns() - start);
}

static void time_pair(long samples, const char *base, const char *head)
{
	struct work sides[2] = { work_of(base), work_of(head) };
	long n[2] = { operations(&sides[0]), operations(&sides[1]) };
	long warm[2];
	int side;

	for (side = 0; side < 2; side++)
		warm[side] = n[side] < sides[side].lap ? n[side] : sides[side].lap;
	while (samples-- > 0) {
		for (side = 0; side < 2; side++) {
			double took;

			sides[side].side->run(&sides[side], warm[side]);
			took = timed(&sides[side], n[side]);
			if (took > 0)
				printf("%s %.6g\n", side ? "head" : "base", took);
		}
		printf("ghz %.4f\n", gigahertz());
	}
}

/* One round; what was begun before it is over, so that no loop runs into the next one. */
static void round_of(struct work *w, long n)
{
	KASSAY_ROUND_BEGIN();
	__asm__ volatile("lfence" ::: "memory");
	if (n)
		w->side->run(w, n);
	__asm__ volatile("lfence" ::: "memory");
	KASSAY_ROUND_END();
}

static void mark(const char *text)
{
	struct work w = work_of(text);
	long n = w.measured ? w.measured : w.lap < LAP ? LAP : w.lap > MOST ? MOST : w.lap;

	round_of(&w, w.lap);
	round_of(&w, n);
	round_of(&w, 0);
	printf("%s operations %ld\n", text, n);
	munmap(w.memory, w.size);
}

static void list(void)
{
	size_t group;
	const struct side *s;

	for (group = 0; group < sizeof(groups) / sizeof(*groups); group++)
		for (s = groups[group]; s->name; s++)
			puts(s->name);
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 5 && !strcmp(argv[1], "time")) {
		time_pair(atol(argv[2]), argv[3], argv[4]);
	} else if (argc > 2 && !strcmp(argv[1], "mark")) {
		for (i = 2; i < argc; i++)
			mark(argv[i]);
	} else if (argc == 2 && !strcmp(argv[1], "list")) {
		list();
	} else {
		fail("time SAMPLES BASE HEAD, mark SIDE... or list, not", argc > 1 ? argv[1] : "nothing");
	}
	return 0;
}
