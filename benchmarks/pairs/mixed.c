// SPDX-License-Identifier: GPL-2.0-only
/* What programs do: look-ups, searches, sorting, sums, lists under a lock; as the compiler makes it. */
#include "pair.h"

static void prepare_table(struct work *w)
{
	uint64_t *word;

	w->size = (w->a * 8 + 4095) & ~4095l;
	w->memory = pages_of(w->size);
	for (word = (uint64_t *)w->memory; (char *)word < w->memory + w->size; word++)
		*word = w->random = next_random(w->random);
	w->lap = w->a / 4;
}

/* a numbers in order. */
static void prepare_sorted(struct work *w)
{
	long i;

	w->size = (w->a * 8 + 4095) & ~4095l;
	w->memory = pages_of(w->size);
	for (i = 0; i < w->a; i++)
		((uint64_t *)w->memory)[i] = (uint64_t)i << 20;
	w->lap = w->a;
}

/* A table of a slots (a power of two), b slots tried for each key. */
static void run_lookup(struct work *w, long n)
{
	const uint64_t *table = (const uint64_t *)w->memory;
	uint64_t x = w->random, sum = w->sum;

	while (n-- > 0) {
		uint64_t slot;
		long i;

		x = next_random(x);
		slot = (x * 0x9e3779b97f4a7c15ull) >> 32;
		for (i = 0; i < w->b; i++) {
			uint64_t found = *(volatile const uint64_t *)&table[(slot + i) & (w->a - 1)];

			sum += found >> 60;
		}
	}
	w->random = x;
	w->sum = sum;
}

/* Binary search of random keys, by branches. */
static void run_search(struct work *w, long n)
{
	const uint64_t *table = (const uint64_t *)w->memory;
	uint64_t x = w->random;

	while (n-- > 0) {
		uint64_t key, low = 0, high = w->a;

		x = next_random(x);
		key = (x % w->a) << 20;
		while (low + 1 < high) {
			uint64_t middle = (low + high) / 2;

			__asm__ volatile goto("cmp %0, %1; jb %l2" :: "r"(table[middle]), "r"(key) : "cc" : below);
			low = middle;
			continue;
below:
			high = middle;
		}
		w->sum += low;
	}
	w->random = x;
}

/* The same without branches. */
static void run_search_select(struct work *w, long n)
{
	const uint64_t *table = (const uint64_t *)w->memory;
	uint64_t x = w->random;

	while (n-- > 0) {
		uint64_t key, low = 0, high = w->a;

		x = next_random(x);
		key = (x % w->a) << 20;
		while (low + 1 < high) {
			uint64_t middle = (low + high) / 2;

			__asm__ volatile("cmp %2, %3; cmovae %4, %0; cmovb %4, %1"
					 : "+r"(low), "+r"(high) : "r"(table[middle]), "r"(key), "r"(middle) : "cc");
		}
		w->sum += low;
	}
	w->random = x;
}

/* a random numbers are sorted by insertion. */
static void run_sort(struct work *w, long n)
{
	uint64_t numbers[64], x = w->random;

	while (n-- > 0) {
		long i, j;

		for (i = 0; i < w->a; i++) {
			x = next_random(x);
			for (j = i; j > 0 && numbers[j - 1] > x; j--)
				numbers[j] = numbers[j - 1];
			numbers[j] = x;
		}
		w->sum += numbers[0];
	}
	w->random = x;
}

/* A sum over a numbers, byte by byte or word by word. */
static void run_bytes(struct work *w, long n)
{
	while (n-- > 0) {
		uint32_t sum = 0;
		long i;

		for (i = 0; i < w->a * 8; i++)
			sum = (sum ^ ((volatile unsigned char *)w->memory)[i]) * 16777619u;
		w->sum += sum;
	}
}

static void run_words(struct work *w, long n)
{
	while (n-- > 0) {
		uint64_t sum = 0;
		long i;

		for (i = 0; i < w->a; i++)
			sum = (sum ^ ((volatile uint64_t *)w->memory)[i]) * 1099511628211ull;
		w->sum += sum;
	}
}

/* b levels of 64 slots each, from the root to a leaf; a leaf for a random index. */
static void run_radix(struct work *w, long n)
{
	uint64_t x = w->random;

	while (n-- > 0) {
		uint64_t slot = 0;
		long level;

		x = next_random(x);
		for (level = 0; level < w->b; level++) {
			uint64_t index = (x >> (6 * level)) & 63;

			slot = ((volatile uint64_t *)w->memory)[((slot & 63) * 64 + index + level * 512) & (w->a - 1)];
		}
		w->sum += slot;
	}
	w->random = x;
}

struct list {
	struct list *next, *previous;
};

static inline void add(struct list *new, struct list *head)
{
	head->next->previous = new;
	new->next = head->next;
	new->previous = head;
	*(struct list *volatile *)&head->next = new;
}

static inline void del(struct list *old)
{
	old->next->previous = old->previous;
	*(struct list *volatile *)&old->previous->next = old->next;
}

/* Eight elements go to a list and off it; with a lock around each, or without. */
static inline void moved(struct work *w, long n, int locked)
{
	struct list *head = (struct list *)w->memory, *element = head + 8;
	int *lock = (int *)(w->memory + 2048);

	head->next = head->previous = head;
	while (n-- > 0) {
		struct list *moving = element + 4 * (n & 7);

		if (locked) {
			while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
				;
		}
		add(moving, head);
		del(moving);
		if (locked)
			__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	}
}

static void run_list(struct work *w, long n)
{
	moved(w, n, 0);
}

static void run_list_locked(struct work *w, long n)
{
	moved(w, n, 1);
}

const struct side mixed_sides[] = {
	{ .name = "lookup", .run = run_lookup, .prepare = prepare_table },
	{ .name = "search", .run = run_search, .prepare = prepare_sorted },
	{ .name = "search_select", .run = run_search_select, .prepare = prepare_sorted },
	{ .name = "sort", .run = run_sort, .lap = 2000 },
	{ .name = "bytes", .run = run_bytes, .prepare = prepare_table },
	{ .name = "words", .run = run_words, .prepare = prepare_table },
	{ .name = "radix", .run = run_radix, .prepare = prepare_table },
	{ .name = "list", .run = run_list },
	{ .name = "list_locked", .run = run_list_locked },
	{ 0 },
};
