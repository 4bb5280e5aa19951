// SPDX-License-Identifier: GPL-2.0-only
/* Write permission of a shared mapping in folios of one order taken away and given back. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_systems.h"
#include "folios.h"
#include "memory.h"
#include "ram_disk.h"
#include "tunable.h"

#define STAMP 0x73686172656400ULL

static struct {
	uint64_t start;
	uint64_t detour; /* where a range of huge pages is moved to, and back from, to split its mapping */
	uint64_t toggles;
	size_t size;
	unsigned int order;
	int file; /* -1: anonymous */
} w = { .file = -1 };

static void protect(struct script *round, int protection)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.start,
					  .args = { w.size, (uint64_t)protection }, .what = "mprotect" });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);
	struct step *touch;

	mark(run);
	protect(round, PROT_READ);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
	touch = memory_fill(round, &w.start, w.size, STAMP + 1);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &touch->args[1], .args = { 1 } });
	script_step(round, (struct step){ .run = step_add, .start = &w.toggles, .args = { 1 } });
}

static void move_range(struct script *script, const uint64_t *from, uint64_t to)
{
	script_step(script, (struct step){ .run = step_call, .number = SYS_mremap, .start = (uint64_t *)from,
					   .args = { w.size, w.size, MREMAP_MAYMOVE | MREMAP_FIXED, to }, .what = "mremap" });
}

/* Huge pages whose entry a move to the middle of one has split; the writes map their base pages again. */
static void split_range(struct script *script)
{
	memory_collapse(script, &w.start, w.size);
	move_range(script, &w.start, w.detour);
	move_range(script, &w.detour, w.start);
	memory_unmap(script, &w.detour, w.size);
	memory_want_base(script, &w.start, w.size);
	memory_fill(script, &w.start, w.size, STAMP);
}

static int make_range(struct run *run, bool huge)
{
	struct script make = { 0 };

	memory_map(&make, &w.start, w.size, true, w.file);
	if (w.order && (w.detour || w.file < 0))
		memory_want_huge(&make, &w.start, w.size);
	else
		memory_want_base(&make, &w.start, w.size);
	memory_fill(&make, &w.start, w.size, STAMP);
	if (huge)
		split_range(&make);
	return script_do(run, &make);
}

static int choose_policy(struct run *run, size_t bytes)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/shmem_enabled", bytes / KIB);
	return tunable_set(run, path, "advise", "folios of this size in shared memory (6.11)");
}

/* Folios of tmpfs that are neither of one page nor huge follow from the writes, as all those of ext4 do. */
static int map_file(struct run *run)
{
	size_t block = page_bytes() << w.order;
	bool shmem = param_is(run, "memory", "shmem");

	if (param_is(run, "memory", "ext4"))
		w.file = file_on(run, &ext4, w.size, block, STAMP);
	else if (w.order && !shmem)
		return fail(run, "order: a ramfs has folios of one page only; leave it out, or take memory=ext4");
	else if (w.order && !w.detour)
		w.file = file_on(run, &tmpfs_of_writes, w.size, block, STAMP);
	else
		w.file = shmem ? memory_file(run, w.size, STAMP) : file_on(run, &ramfs, w.size, page_bytes(), STAMP);
	return w.file < 0 ? -1 : 0;
}

static int choose_order(struct run *run)
{
	size_t bytes = page_bytes();

	while (w.order < 9 && !param_is(run, "order", (char[]){ (char)('0' + w.order), 0 }))
		w.order++;
	bytes <<= w.order;
	if (w.size % bytes)
		return fail(run, "size must be a multiple of %zu bytes with order %u", bytes, w.order);
	if (bytes > huge_page_bytes())
		return fail(run, "this kernel has no folios of order %u: a huge page has %zu bytes", w.order, huge_page_bytes());
	if (param_is(run, "memory", "ext4"))
		return 0;
	if (bytes == huge_page_bytes()) {
		w.detour = memory_reserve(run, w.size + bytes);
		if (!w.detour)
			return -1;
		w.detour += page_bytes();
		return 0;
	}
	return w.order && param_is(run, "memory", "anonymous") ? choose_policy(run, bytes) : 0;
}

static int setup(struct run *run)
{
	uint64_t pages;
	char field[32];

	w.size = param_number(run, "size");
	pages = w.size / page_bytes();
	w.start = memory_reserve(run, w.size);
	if (!w.start || choose_order(run) || (!param_is(run, "memory", "anonymous") && map_file(run)))
		return -1;
	/* khugepaged would collapse the pages of a file as soon as it is mapped, before any advice. */
	if ((w.file >= 0 && !w.detour && memory_only_base(run)) || make_range(run, w.detour != 0))
		return -1;
	phase_add(run, "protect", pages);
	phase_add(run, "unprotect", pages);
	phase_add(run, "touch", pages);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	range_count_folios(run);
	snprintf(field, sizeof(field), "folios.order%u", w.order);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.ShmemPmdMapped", "==", 0);
	require_both(run, "pagemap.present", "==", pages);
	require_both(run, field, "==", pages);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t pages = w.size / page_bytes(), stamped = memory_stamped(w.start, w.size, STAMP + run_rounds(run));

	if (w.toggles != run_rounds(run))
		complain(run, "%" PRIu64 " toggles instead of %" PRIu64, w.toggles, run_rounds(run));
	if (stamped != pages)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written last", stamped, pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	if (w.file >= 0)
		close(w.file);
	file_disk_clear();
	tunable_restore();
}

const struct workload workload = {
	.name = "folio_protect_shared",
	.group = "folios",
	.summary = "mprotect() of a whole shared mapping in folios of one order to read-only and back",
	.subject = "Write-protecting and unprotecting {size} of shared {memory} memory in folios of order {order}",
	.state = "one shared mapping, kept, all pages written, in folios of the order asked for, each mapped by entries for "
		 "base pages",
	.alters = "order=2 to 8 sets the policy of shared memory in folios of this size, and puts it back; memory=ext4 writes to "
		  "the RAM disk " RAM_DISK " (only when it is empty), and clears it again",
	.conflicts = { { { "memory=file", "order!=0" }, "a ramfs has folios of one page only; memory=ext4 has larger ones" } },
	.params = {
		{ "memory", PARAM_CHOICE, "word", "anonymous",
		  "anonymous: shared anonymous memory. shmem: a file of tmpfs; orders 2 to 8 since Linux 6.14. file: a file of a "
		  "ramfs, which is in the page cache alone, with order 0. ext4: a file of ext4 on a RAM disk; folios since Linux 6.16",
		  0, 0, { "anonymous", "shmem", "file", "ext4" } },
		FOLIOS_ORDER,
		FOLIOS_SIZE("4MiB"),
	},
	.phases = {
		{ "protect", "page",
		  "From before to after one mprotect(PROT_READ) of the whole range, divided by its base pages.", false },
		{ "unprotect", "page",
		  "From before to after one mprotect(PROT_READ|PROT_WRITE) of the whole range, divided by its base pages.", false },
		{ "touch", "page",
		  "One write of 8 bytes to each base page afterwards, divided by these pages: a fault where the kernel left entries"
		  " write-protected.", false },
		{ "iteration", "page",
		  "One round, protect, unprotect and touch, divided by the base pages of the range.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
