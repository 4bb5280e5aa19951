// SPDX-License-Identifier: GPL-2.0-only
/* mprotect() of every second page: one mapping becomes many, and one again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define STAMP 0x73706c6974
#define CALLS 16UL
#define PAGES (2 * CALLS + 1)
#ifdef __SANITIZE_ADDRESS__
#define OTHERS 512U /* the sanitizer maps some hundred of its own */
#else
#define OTHERS 64U /* VMAs of the process besides the mapping and its neighbours; a dynamic program begins with 25 */
#endif

static struct {
	uint64_t start;
	uint64_t pages[CALLS]; /* every second one, the first not */
	uint64_t splits;
	uint64_t merges;
} w;

static void protect(struct script *script, int protection)
{
	for (unsigned int i = 0; i < CALLS; i++)
		script_step(script, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.pages[i],
						   .args = { page_bytes(), (uint64_t)protection }, .what = "mprotect" });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	protect(round, PROT_READ);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.splits, .args = { CALLS } });
	script_step(round, (struct step){ .run = step_add, .start = &w.merges, .args = { CALLS } });
}

/* VMAs of this process, which are the lines of maps; 0 when it cannot be read. */
static unsigned int count_vmas(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	unsigned int count = 0;
	char text[1024];
	ssize_t got;

	if (fd < 0)
		return 0;
	while ((got = read(fd, text, sizeof(text))) > 0) {
		for (char *end = text; (end = memchr(end, '\n', (size_t)(text + got - end))); end++)
			count++;
	}
	close(fd);
	return got < 0 ? 0 : count;
}

/*
 * The kernel keeps VMAs in a tree whose nodes hold 16 of them. Where a node is full, and so what a split costs, depends
 * on how many others there are: one VMA more moved the count by 12 %. Kernels differ in how many they map themselves.
 * Each new one lies right below the one before, and has other permissions, so that they do not merge.
 */
static int fill_up(struct run *run)
{
	unsigned int count = count_vmas();

	if (!count || count >= OTHERS)
		return fail(run, "%u VMAs before setup, instead of 1 to %u", count, OTHERS - 1);
	for (; count < OTHERS; count++) {
		int protection = (OTHERS - count) % 2 ? PROT_READ | PROT_EXEC : PROT_NONE;

		if (mmap(NULL, page_bytes(), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return fail(run, "no address space for a page: %s", strerror(errno));
	}
	count = count_vmas();
	return count == OTHERS ? 0 : fail(run, "%u VMAs instead of %u", count, OTHERS);
}

static int setup(struct run *run)
{
	struct script make = { 0 };
	size_t page = page_bytes();

	w.start = fill_up(run) ? 0 : memory_reserve(run, PAGES * page);
	if (!w.start)
		return -1;
	for (unsigned int i = 0; i < CALLS; i++)
		w.pages[i] = w.start + (2 * i + 1) * page;
	memory_map(&make, &w.start, PAGES * page, false, -1);
	memory_want_base(&make, &w.start, PAGES * page);
	memory_fill(&make, &w.start, PAGES * page, STAMP);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "split", CALLS);
	phase_add(run, "merge", CALLS);
	make_round(run);
	range_set(run, (void *)(uintptr_t)w.start, PAGES * page);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", PAGES);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t calls = run_rounds(run) * CALLS, stamped = memory_stamped(w.start, PAGES * page_bytes(), STAMP);

	if (w.splits != calls || w.merges != calls)
		complain(run, "%" PRIu64 " splits and %" PRIu64 " merges instead of %" PRIu64, w.splits, w.merges, calls);
	if (stamped != PAGES)
		complain(run, "%" PRIu64 " of %" PRIu64 " pages hold what was written", stamped, (uint64_t)PAGES);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, PAGES * page_bytes());
}

const struct workload workload = {
	.name = "vma_split",
	.group = "mappings",
	.summary = "mprotect() of every second page to read-only and back: VMAs are split and merged",
	.subject = "Splitting and merging VMAs by mprotect() of every second page",
	.state = "one private anonymous mapping of 33 base pages (MADV_NOHUGEPAGE), all present; one VMA before each round, 33 between "
		 "its phases. The process is filled up to 64 other VMAs first, because what a split costs depends on how full the "
		 "nodes of the tree of VMAs are",
	.params = { { 0 } },
	.phases = {
		{ "split", "call", "One mprotect(PROT_READ) of one page inside a VMA, which becomes three; 16 of them, divided by 16.",
		  false },
		{ "merge", "call",
		  "One mprotect(PROT_READ|PROT_WRITE) of that page, whose VMA merges with both neighbours; 16 of them, divided by 16.",
		  false },
		{ "iteration", "call", "One round, split and merge, divided by 16: one call of each.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
