// SPDX-License-Identifier: GPL-2.0-only
/* Where data is: chains of pointers, independent random accesses, strides; caches, prefetchers, TLBs. */
#include "pair.h"

#define LINE 64

/* Where node i is: every b bytes, on a line of its own choice where that is a page. */
static char *node(const struct work *w, size_t i)
{
	size_t line = w->b == 4096 ? (i * 37 % 64) * LINE : 0;

	return w->memory + i * w->b + line;
}

/* One cycle through all nodes in random order (Sattolo): a chain of a bytes, a node every b bytes. */
static void prepare_chain(struct work *w)
{
	size_t nodes, i;
	uint32_t *order;

	w->b = w->b ? w->b : LINE;
	nodes = w->a / w->b;
	w->size = w->a;
	w->memory = pages_of(w->size);
	order = pages_of(nodes * sizeof(*order));
	for (i = 0; i < nodes; i++)
		order[i] = i;
	for (i = nodes - 1; i > 0; i--) {
		size_t other;
		uint32_t swapped = order[i];

		w->random = next_random(w->random);
		other = (w->random >> 16) % i;
		order[i] = order[other];
		order[other] = swapped;
	}
	for (i = 0; i < nodes; i++)
		*(void **)node(w, i) = node(w, order[i]);
	for (i = 0; i < 4; i++)
		w->cursor[i] = node(w, i * nodes / 4);
	w->lap = nodes;
}

/* Random numbers in a bytes. */
static void prepare_random(struct work *w)
{
	uint64_t *word;

	w->size = w->a;
	w->memory = pages_of(w->size);
	for (word = (uint64_t *)w->memory; (char *)word < w->memory + w->size; word++)
		*word = w->random = next_random(w->random);
	w->lap = 4 * w->a / LINE; /* by chance 49 of 50 lines are touched */
}

/* a bytes, of which every b-th is touched. */
static void prepare_stride(struct work *w)
{
	w->size = (w->a + 4095) & ~4095l;
	w->memory = pages_of(w->size);
	w->lap = w->a / w->b;
}

#define CHASE(name, chains, body)						\
static void run_##name(struct work *w, long n)					\
{										\
	__asm__ volatile(".p2align 6\n 1:\n" body "dec %[n]\n jnz 1b\n"		\
			 : [n] "+r"(n), [c0] "+r"(w->cursor[0]), [c1] "+r"(w->cursor[1]),	\
			   [c2] "+r"(w->cursor[2]), [c3] "+r"(w->cursor[3])	\
			 :: "r8", "r9", "r10", "r11", "cc", "memory");		\
}

#define STEP0 "mov (%[c0]), %[c0]\n"
#define STEP1 "mov (%[c1]), %[c1]\n"
#define ADD20 ".rept 5; add $1, %%r8; add $1, %%r9; add $1, %%r10; add $1, %%r11; .endr\n"

CHASE(chase, 1, STEP0)
CHASE(chase2, 2, STEP0 STEP1)
CHASE(chase4, 4, STEP0 STEP1 "mov (%[c2]), %[c2]\n mov (%[c3]), %[c3]\n")
CHASE(chase_add20, 1, STEP0 ADD20)
CHASE(chase_add80, 1, STEP0 ADD20 ADD20 ADD20 ADD20)
CHASE(chase_chain4, 1, STEP0 ".rept 4; add $0, %[c0]; .endr\n")
CHASE(chase_store, 1, STEP0 "movq $1, 8(%[c0])\n")
CHASE(chase_lock, 1, STEP0 "lock addq $1, 8(%[c0])\n")

/* Loads at random places of a bytes (a power of two), none of which needs another. */
static void run_gather(struct work *w, long n)
{
	uint64_t x = w->random, sum = w->sum, mask = (w->a - 1) & ~7ul;

	while (n-- > 0) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		sum += *(volatile uint64_t *)(w->memory + ((x >> 20) & mask));
	}
	w->random = x;
	w->sum = sum;
}

static void run_scatter(struct work *w, long n)
{
	uint64_t x = w->random, mask = (w->a - 1) & ~7ul;

	while (n-- > 0) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		*(volatile uint64_t *)(w->memory + ((x >> 20) & mask)) = x;
	}
	w->random = x;
}

/* A load that is needed for a branch; b masks what decides: 0 always the same way, 1 either. */
static void run_gather_branch(struct work *w, long n)
{
	uint64_t x = w->random, sum = w->sum, mask = (w->a - 1) & ~7ul, bits = w->b;

	while (n-- > 0) {
		uint64_t found;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		found = *(volatile uint64_t *)(w->memory + ((x >> 20) & mask));
		__asm__ volatile("test %1, %2; jz 1f; add $3, %0; 1:" : "+r"(sum) : "r"(found), "r"(bits) : "cc");
	}
	w->random = x;
	w->sum = sum;
}

#define STRIDE(name, instruction)						\
static void run_##name(struct work *w, long n)					\
{										\
	size_t offset = w->offset;						\
	uint64_t sum = w->sum;							\
										\
	__asm__ volatile(".p2align 6\n 1:\n" instruction			\
			 "add %[step], %[offset]\n"				\
			 "cmp %[size], %[offset]\n"				\
			 "cmovae %[zero], %[offset]\n"				\
			 "dec %[n]\n jnz 1b\n"					\
			 : [n] "+r"(n), [offset] "+r"(offset), [sum] "+r"(sum)	\
			 : [p] "r"(w->memory), [step] "r"(w->b), [size] "r"(w->a), [zero] "r"(0l)	\
			 : "cc", "memory");					\
	w->offset = offset;							\
	w->sum = sum;								\
}

STRIDE(stride, "add (%[p], %[offset]), %[sum]\n")
STRIDE(stride_store, "mov %[sum], (%[p], %[offset])\n")

#define CHAIN(side) { .name = #side, .run = run_##side, .prepare = prepare_chain }

const struct side memory_sides[] = {
	CHAIN(chase),
	CHAIN(chase2),
	CHAIN(chase4),
	CHAIN(chase_add20),
	CHAIN(chase_add80),
	CHAIN(chase_chain4),
	CHAIN(chase_store),
	CHAIN(chase_lock),
	{ .name = "gather", .run = run_gather, .prepare = prepare_random },
	{ .name = "scatter", .run = run_scatter, .prepare = prepare_random },
	{ .name = "gather_branch", .run = run_gather_branch, .prepare = prepare_random },
	{ .name = "stride", .run = run_stride, .prepare = prepare_stride },
	{ .name = "stride_store", .run = run_stride_store, .prepare = prepare_stride },
	{ 0 },
};
