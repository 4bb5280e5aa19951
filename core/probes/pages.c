// SPDX-License-Identifier: GPL-2.0-only
/* Memory of the probes: 4 KiB pages or huge ones, touched, and cycles of pointers in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "probe.h"

static struct region {
	size_t bytes;
	enum page_size pages;
	unsigned int which;
	void *memory;
} regions[16];

static size_t huge_kib(void)
{
	FILE *file = fopen("/proc/self/smaps_rollup", "re");
	char line[128];
	size_t found = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %zu", &found) == 1)
			break;
	fclose(file);
	return found;
}

static void *map(size_t bytes, enum page_size pages)
{
	size_t before = huge_kib();
	char *raw = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *memory;

	if (raw == MAP_FAILED)
		return NULL;
	memory = (char *)(((uintptr_t)raw + HUGE - 1) & ~(HUGE - 1));
	madvise(memory, bytes, pages == PAGES_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(memory, 0, bytes);
	/* Nine in ten suffice: a chase through the rest is a small part of its time. */
	if (pages == PAGES_HUGE && huge_kib() - before < bytes / 1024 / 10 * 9) {
		munmap(raw, bytes + HUGE);
		return NULL;
	}
	return memory;
}

void *memory_of(size_t bytes, enum page_size pages, unsigned int which)
{
	struct region *region = regions;

	bytes = (bytes + HUGE - 1) & ~(HUGE - 1);
	for (; region < regions + 16 && region->memory; region++)
		if (region->pages == pages && region->which == which && region->bytes >= bytes)
			return region->memory;
	if (region == regions + 16)
		return NULL;
	*region = (struct region){ bytes, pages, which, map(bytes, pages) };
	return region->memory;
}

uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Numbers from `first` on, in random order. */
static void shuffle(uint32_t *order, size_t count, uint32_t first, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		order[i] = first + (uint32_t)i;
	for (size_t i = count; i > 1; i--) {
		size_t other = random_next(state) % i;
		uint32_t swapped = order[i - 1];

		order[i - 1] = order[other];
		order[other] = swapped;
	}
}

void make_cycle(char *memory, size_t count, size_t stride, size_t skew, size_t block)
{
	uint64_t state = 88172645463325252ULL;
	uint32_t *order = malloc(2 * count * sizeof(*order));
	void **last;

	if (!order)
		abort();
	block = block < count ? block : count;
	shuffle(order + count, count / block, 0, &state);
	for (size_t i = 0; i < count / block; i++)
		if (block > 1)
			shuffle(order + i * block, block, order[count + i] * (uint32_t)block, &state);
		else
			order[i] = (uint32_t)i;
	count -= count % block;
	last = NULL;
	for (size_t i = 0; i <= count; i++) {
		size_t slot = order[i % count];
		void **here = (void **)(memory + slot * stride + slot * skew % stride);

		if (last)
			*last = here;
		last = here;
	}
	free(order);
}
