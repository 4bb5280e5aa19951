// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many instructions of a kind may stand between two long waits that overlap: the size of
 * the reorder buffer, of the schedulers, of the load and the store queue. (Henry Wong's
 * method, "Measuring Reorder Buffer Capacity", 2013.) The time of an iteration doubles where
 * the second wait no longer begins before the first has ended. The waits are cache misses,
 * or chains of divisions, which programs on other cores do not make longer.
 */
#include <sys/mman.h>

#include "arch.h"
#include "probe.h"

#define FAR (64UL << 20) /* bytes of each of the two chains */
#define ROOM (64UL << 10)

static struct {
	uint8_t *code;
	void *a;
	void *b;
	char scratch[LINE] __attribute__((aligned(LINE)));
} window;

static const char *prepare_misses(void)
{
	char *memory;

	if (window.a)
		return NULL;
	memory = memory_of(2 * FAR, PAGES_HUGE, 0);
	if (!memory)
		memory = memory_of(2 * FAR, PAGES_4K, 0);
	if (!memory)
		return "no memory";
	make_cycle(memory, FAR / LINE, LINE, 0, 16 * PAGE / LINE);
	make_cycle(memory + FAR, FAR / LINE, LINE, 0, 16 * PAGE / LINE);
	window.a = memory;
	window.b = memory + FAR;
	return NULL;
}

static const char *prepare(enum filler filler, uint64_t count)
{
	const char *problem = WINDOW_MISSES ? prepare_misses() : NULL;

	if (problem)
		return problem;
	if (count > ROOM / 16)
		return "more fillers than there is room for";
	if (!window.code) {
		window.code = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (window.code == MAP_FAILED) {
			window.code = NULL;
			return "this system gives no memory that may be written and executed";
		}
	}
	write_window(window.code, filler, (unsigned int)count);
	return NULL;
}

static const char *mixed(uint64_t count)
{
	return prepare(FILL_MIXED, count);
}

static const char *dependent(uint64_t count)
{
	return prepare(FILL_DEPENDENT, count);
}

static const char *loads(uint64_t count)
{
	return prepare(FILL_LOAD, count);
}

static const char *stores(uint64_t count)
{
	return prepare(FILL_STORE, count);
}

static const char *adds(uint64_t count)
{
	return prepare(FILL_ADD, count);
}

static uint64_t run(uint64_t operations)
{
	window_run(window.code, operations, &window.a, &window.b, window.scratch);
	return operations;
}

#define LOOPS 300

const struct probe window_probes[] = {
	{ "window_mixed", mixed, NULL, run, LOOPS, NULL },
	{ "window_dependent", dependent, NULL, run, LOOPS, NULL },
	{ "window_loads", loads, NULL, run, LOOPS, NULL },
	{ "window_stores", stores, NULL, run, LOOPS, NULL },
	{ "window_adds", adds, NULL, run, LOOPS, NULL },
	{ 0 },
};
