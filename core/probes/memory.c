// SPDX-License-Identifier: GPL-2.0-only
/* Caches, memory, prefetching and translation: chases of pointers, streams, parallel misses. */
#include "probe.h"

static void *position;
static void *positions[32];
static unsigned int chains;
static char *stream;
static size_t stream_bytes, stream_at;

#define KIB 1024UL

static const char no_huge[] =
	"no huge pages: /sys/kernel/mm/transparent_hugepage/enabled is never, or memory is short";

/* Follows the cycle once, so that a region that fits into a cache is in it. */
static void warm(size_t lines)
{
	void **at = position;

	for (size_t i = 0; i < lines; i++)
		at = *at;
	position = at;
}

static const char *region_of(uint64_t kib, enum page_size pages, size_t block)
{
	char *memory = memory_of(kib * KIB, pages, 1);

	if (!memory)
		return pages == PAGES_HUGE ? no_huge : "no memory";
	make_cycle(memory, kib * KIB / LINE, LINE, 0, block);
	position = memory;
	warm(kib * KIB / LINE);
	return NULL;
}

/* Lines in random order inside of blocks of 32 pages: translations are in the first level. */
static const char *chase_local(uint64_t kib)
{
	return region_of(kib, PAGES_4K, 32 * PAGE / LINE);
}

/* The first line of each pair of lines, in the same order; of as many lines in all. */
static const char *chase_firsts(uint64_t kib)
{
	char *memory = memory_of(kib * KIB, PAGES_4K, 1);

	if (!memory)
		return "no memory";
	make_cycle(memory, kib * KIB / (2 * LINE), 2 * LINE, 0, 32 * PAGE / (2 * LINE));
	position = memory;
	warm(kib * KIB / (2 * LINE));
	return NULL;
}

static const char *chase_huge(uint64_t kib)
{
	return region_of(kib, PAGES_HUGE, ALL);
}

static const char *chase_small(uint64_t kib)
{
	return region_of(kib, PAGES_4K, ALL);
}

/* One line of each of so many pages, each line in another set of the caches. */
static const char *cycle_of_pages(uint64_t count, enum page_size pages)
{
	char *memory = memory_of(count * PAGE, pages, 2);

	if (!memory)
		return no_huge;
	make_cycle(memory, count, PAGE, LINE, ALL);
	position = memory;
	warm(count);
	return NULL;
}

static const char *pages_small(uint64_t count)
{
	return cycle_of_pages(count, PAGES_4K);
}

static const char *pages_huge(uint64_t count)
{
	return cycle_of_pages(count, PAGES_HUGE);
}

/* Lines of 64 MiB in the order of their addresses, `stride` lines apart. */
static const char *walk(uint64_t stride)
{
	char *memory = memory_of(64 * KIB * KIB, PAGES_4K, 1);

	if (!memory)
		return "no memory";
	if (!stride)
		return "a stride of 0";
	make_cycle(memory, 64 * KIB * KIB / (stride * LINE), stride * LINE, 0, 1);
	position = memory;
	return NULL;
}

static uint64_t chase(uint64_t operations)
{
	void **at = position;

	for (uint64_t i = 0; i < operations; i += 8) {
		at = *at;
		at = *at;
		at = *at;
		at = *at;
		at = *at;
		at = *at;
		at = *at;
		at = *at;
		asm volatile("" : "+r"(at));
	}
	position = at;
	return operations;
}

static uint64_t operations_of_chase(uint64_t kib)
{
	uint64_t lines = kib * KIB / LINE;

	return lines < 4000 ? 16000 : lines < 16000 ? 32000 : 24000;
}

static uint64_t operations_of_pages(uint64_t count)
{
	return count < 16000 ? 2 * 8192 : 16000;
}

/* Chains through lines of one cycle, entered at places that are far apart in it. */
static void enter(void **at, size_t count)
{
	for (size_t i = 0; i < count; i++, at = *at)
		if (i % (count / chains) == 0 && i / (count / chains) < chains)
			positions[i / (count / chains)] = at;
}

/* Argument: parallel chains * 2^20 + pages, of each of which one line is read. */
static const char *parallel_pages(uint64_t argument)
{
	size_t count = argument & 0xfffff;

	chains = (unsigned int)(argument >> 20);
	if (chains < 1 || chains > 32)
		return "1 to 32 chains";
	if (cycle_of_pages(count, PAGES_4K))
		return "no memory";
	enter(position, count);
	return NULL;
}

/* Argument: parallel chains * 2^20 + KiB of the region. */
static const char *parallel(uint64_t argument)
{
	size_t bytes = (argument & 0xfffff) * KIB;
	char *memory = memory_of(bytes, PAGES_4K, 1);

	chains = (unsigned int)(argument >> 20);
	if (!memory)
		return "no memory";
	if (chains < 1 || chains > 32)
		return "1 to 32 chains";
	make_cycle(memory, bytes / LINE, LINE, 0, 8 * PAGE / LINE);
	enter((void **)memory, bytes / LINE);
	return NULL;
}

static uint64_t chase_parallel(uint64_t operations)
{
	uint64_t rounds = operations / chains;

	/* Kept in memory, which hits the first level and can be many; the loads of chains overlap. */
	for (uint64_t i = 0; i < rounds; i++)
		for (unsigned int k = 0; k < chains; k++)
			positions[k] = *(void *volatile *)positions[k];
	return rounds * chains;
}

static const char *region(uint64_t kib)
{
	stream_bytes = kib * KIB;
	stream = memory_of(stream_bytes, PAGES_4K, 1);
	stream_at = 0;
	return stream ? NULL : "no memory";
}

/* An operation: one line, of which one word is read. */
static uint64_t read_lines(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i += 8) {
		const volatile uint64_t *line = (const volatile uint64_t *)(stream + stream_at);

		(void)line[0];
		(void)line[8];
		(void)line[16];
		(void)line[24];
		(void)line[32];
		(void)line[40];
		(void)line[48];
		(void)line[56];
		stream_at = stream_at + 8 * LINE < stream_bytes ? stream_at + 8 * LINE : 0;
	}
	return operations;
}

static uint64_t write_lines(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i += 4) {
		volatile uint64_t *line = (volatile uint64_t *)(stream + stream_at);

		line[0] = i;
		line[8] = i;
		line[16] = i;
		line[24] = i;
		stream_at = stream_at + 4 * LINE < stream_bytes ? stream_at + 4 * LINE : 0;
	}
	return operations;
}

/* An operation: a store to the next line, and an atomic addition on a line that is at hand. */
static uint64_t write_atomic(uint64_t operations)
{
	static uint64_t counter;

	for (uint64_t i = 0; i < operations; i++) {
		*(volatile uint64_t *)(stream + stream_at) = i;
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
		stream_at = stream_at + LINE < stream_bytes ? stream_at + LINE : 0;
	}
	return operations;
}

/* As write_atomic, and lines that are loaded in place of lines that are written. */
static uint64_t read_atomic(uint64_t operations)
{
	static uint64_t counter;

	for (uint64_t i = 0; i < operations; i++) {
		(void)*(volatile uint64_t *)(stream + stream_at);
		__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
		stream_at = stream_at + LINE < stream_bytes ? stream_at + LINE : 0;
	}
	return operations;
}

static uint64_t operations_of_stream(uint64_t kib)
{
	uint64_t lines = kib * KIB / LINE;

	return lines < 8000 ? (8000 / lines + 1) * lines : lines < 40000 ? lines : 20000;
}

const struct probe memory_probes[] = {
	{ "chase_local", chase_local, NULL, chase, 0, operations_of_chase },
	{ "chase_firsts", chase_firsts, NULL, chase, 0, operations_of_chase },
	{ "chase_huge", chase_huge, NULL, chase, 0, operations_of_chase },
	{ "chase_small", chase_small, NULL, chase, 0, operations_of_chase },
	{ "pages_small", pages_small, NULL, chase, 0, operations_of_pages },
	{ "pages_huge", pages_huge, NULL, chase, 0, operations_of_pages },
	{ "walk", walk, NULL, chase, 20000, NULL },
	{ "parallel", parallel, NULL, chase_parallel, 20000, NULL },
	{ "parallel_pages", parallel_pages, NULL, chase_parallel, 20000, NULL },
	{ "read_lines", region, NULL, read_lines, 0, operations_of_stream },
	{ "read_atomic", region, NULL, read_atomic, 0, operations_of_stream },
	{ "write_atomic", region, NULL, write_atomic, 0, operations_of_stream },
	{ "write_lines", region, NULL, write_lines, 0, operations_of_stream },
	{ 0 },
};
