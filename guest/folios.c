// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "folios.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "tunable.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

static unsigned int order_of(size_t bytes)
{
	return (unsigned int)__builtin_ctzl(bytes / page_bytes());
}

static unsigned int wanted_order(const struct run *run)
{
	char word[8];

	for (unsigned int order = 0; order < 32; order++) {
		snprintf(word, sizeof(word), "%u", order);
		if (param_is(run, "order", word))
			return order;
	}
	return 0;
}

static int is_size(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "hugepages-", 10);
}

/* Only this size, for memory that asks for it. */
static int choose_size(struct run *run, size_t bytes)
{
	struct dirent **entries;
	int count = scandir(THP, &entries, is_size, alphasort), status = 0;
	char wanted[64], path[sizeof(THP) + 256 + sizeof("/enabled")];
	bool found = false;

	snprintf(wanted, sizeof(wanted), "hugepages-%zukB", bytes / KIB);
	for (int i = 0; i < count; i++) {
		bool this = !strcmp(entries[i]->d_name, wanted);

		snprintf(path, sizeof(path), THP "%s/enabled", entries[i]->d_name);
		found |= this && !access(path, F_OK);
		/* A size that is for files alone has no policy. */
		if (!status && !access(path, F_OK))
			status = tunable_set(run, path, this ? "madvise" : "never", "sizes of huge pages");
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (!status && !found)
		return fail(run, "this kernel cannot make anonymous folios of %zu KiB: it has no " THP "%s", bytes / KIB, wanted);
	return status;
}

int folios_prepare(struct run *run, struct folios *folios)
{
	size_t huge = huge_page_bytes(), bytes;

	folios->order = wanted_order(run);
	folios->size = param_number(run, "size");
	folios->start = memory_reserve(run, folios->size);
	if (!folios->start)
		return -1;
	bytes = page_bytes() << folios->order;
	if (folios->size % bytes)
		return fail(run, "size must be a multiple of %zu bytes with order %u", bytes, folios->order);
	if (folios->order > order_of(huge))
		return fail(run, "this kernel cannot make anonymous folios of order %u: a huge page is of order %u",
			    folios->order, order_of(huge));
	if (bytes == huge) {
		folios->detour = memory_reserve(run, folios->size + huge);
		if (!folios->detour)
			return -1;
		folios->detour += page_bytes();
		return 0;
	}
	return folios->order ? choose_size(run, bytes) : 0;
}

static void move(struct script *script, const uint64_t *from, size_t size, uint64_t to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_mremap, .start = (uint64_t *)from,
					   .args = { size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to }, .what = "mremap" });
}

void folios_map(struct script *script, const struct folios *folios)
{
	uint64_t *start = (uint64_t *)&folios->start;

	memory_map(script, start, folios->size, false, -1);
	if (folios->order)
		memory_want_huge(script, start, folios->size);
	else
		memory_want_base(script, start, folios->size);
}

void folios_split(struct script *script, const struct folios *folios)
{
	if (!folios->detour)
		return;
	move(script, &folios->start, folios->size, folios->detour);
	move(script, &folios->detour, folios->size, folios->start);
	memory_unmap(script, (uint64_t *)&folios->detour, folios->size); /* keeps the address space */
	memory_want_base(script, (uint64_t *)&folios->start, folios->size);
}

void folios_make(struct script *script, const struct folios *folios, uint64_t stamp)
{
	folios_map(script, folios);
	memory_fill(script, (uint64_t *)&folios->start, folios->size, stamp);
	folios_split(script, folios);
}

/* MADV_HUGEPAGE wakes khugepaged once; it then sleeps for 10 seconds, longer than a run. */
int folios_start(struct run *run, const struct folios *folios, uint64_t stamp)
{
	const struct timespec a_while = { .tv_nsec = 50000000 };
	struct script make = { 0 };

	folios_make(&make, folios, stamp);
	if (script_do(run, &make))
		return -1;
	if (folios->order)
		nanosleep(&a_while, NULL);
	return 0;
}

void folios_require(struct run *run, const struct folios *folios)
{
	char field[32];

	snprintf(field, sizeof(field), "folios.order%u", folios->order);
	range_set(run, (void *)(uintptr_t)folios->start, folios->size);
	range_count_folios(run);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "pagemap.present", "==", folios->size / page_bytes());
	require_both(run, field, "==", folios->size / page_bytes());
}

void folios_release(struct folios *folios)
{
	if (folios->start)
		munmap((void *)(uintptr_t)folios->start, folios->size);
	tunable_restore();
}
