// SPDX-License-Identifier: GPL-2.0-only
/* Anonymous faults and their release in a memory control group, which pays for each page. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"
#include "number.h"
#include "tunable.h"

#define ROOT "/tmp/kassay-cgroup"
#define MAX_DEPTH 8

static struct {
	uint64_t start;
	uint64_t size;
	uint64_t rounds;
	uint64_t depth;
	uint64_t made; /* groups */
	bool mounted;
	char group[sizeof(ROOT) + 8 * MAX_DEPTH]; /* the innermost one */
} w;

static int write_in_group(const char *name, const char *text)
{
	char path[sizeof(w.group) + 32];

	snprintf(path, sizeof(path), "%s/%s", w.group, name);
	return write_text_file(path, text);
}

static int enter_group(struct run *run)
{
	strcpy(w.group, ROOT);
	if (mkdir(ROOT, 0700) || mount("cgroup2", ROOT, "cgroup2", 0, NULL))
		return fail(run, "mounting cgroup2: %s", strerror(errno));
	w.mounted = true;
	for (; w.made < w.depth; w.made++) {
		if (write_in_group("cgroup.subtree_control", "+memory"))
			return fail(run, "this kernel has no memory controller in cgroup2 (CONFIG_MEMCG): %s", strerror(errno));
		strcat(w.group, "/inner");
		if (mkdir(w.group, 0700))
			return fail(run, "mkdir %s: %s", w.group, strerror(errno));
	}
	if (write_in_group("cgroup.procs", "0"))
		return fail(run, "entering %s: %s", w.group, strerror(errno));
	return 0;
}

static void leave_group(void)
{
	if (w.mounted)
		write_text_file(ROOT "/cgroup.procs", "0");
	for (; w.made; w.made--) {
		rmdir(w.group);
		*strrchr(w.group, '/') = '\0';
	}
	if (w.mounted)
		umount2(ROOT, MNT_DETACH);
	rmdir(ROOT);
}

static int setup(struct run *run)
{
	struct script make = { 0 }, *round = round_script(run);

	w.size = param_number(run, "size");
	w.depth = param_number(run, "depth");
	w.start = memory_reserve(run, w.size);
	if (!w.start || enter_group(run))
		return -1;
	memory_map(&make, &w.start, w.size, false, -1);
	memory_want_base(&make, &w.start, w.size);
	memory_write_byte(&make, &w.start, w.size);
	script_call(&make, madvise, &w.start, w.size, MADV_DONTNEED);
	if (script_do(run, &make))
		return -1;
	phase_add(run, "charge", w.size / page_bytes());
	phase_add(run, "uncharge", w.size / page_bytes());
	mark(run);
	memory_write_byte(round, &w.start, w.size);
	mark(run);
	script_call(round, madvise, &w.start, w.size, MADV_DONTNEED);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", 0);
	return 0;
}

static uint64_t charged(void)
{
	char path[sizeof(w.group) + 32];
	uint64_t bytes = 0;

	snprintf(path, sizeof(path), "%s/memory.current", w.group);
	read_number_file(path, &bytes);
	return bytes;
}

static void verify(struct run *run)
{
	uint64_t before = charged(), after;

	memset((void *)(uintptr_t)w.start, 1, w.size);
	after = charged();
	/* A CPU charges in batches of 64 pages, so that up to that many were charged before. */
	if (after + 64 * page_bytes() < before + w.size || after < w.size)
		complain(run, "writing to %" PRIu64 " bytes charges %" PRId64, w.size, (int64_t)(after - before));
	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
	leave_group();
}

const struct workload workload = {
	.name = "memcg_charge",
	.summary = "first writes to anonymous memory and MADV_DONTNEED of it, by a process in a memory control group",
	.subject = "Charging and uncharging {size} in a memory control group {depth} deep",
	.state = "cgroup2 with the memory controller, no limit; the process is alone in its group; one private mapping of base pages "
		 "(MADV_NOHUGEPAGE), no page present before each round",
	.group = "kernel memory",
	.alters = "mounts cgroup2 with the memory controller and makes groups, and takes them away again",
	.conflicts = {
		{ { "--memcg" }, "its process enters a memory control group of its own, for which that limit does not hold" },
	},
	.params = {
		{ "size", PARAM_SIZE, "bytes", "1MiB", "length of the mapping", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
		{ "depth", PARAM_COUNT, "groups", "1", "how many groups deep the process is below the root", 1, MAX_DEPTH, { 0 } },
	},
	.phases = {
		{ "charge", "page", "One write of a byte to each page, which is allocated, cleared and charged, divided by the pages.", true },
		{ "uncharge", "page", "From before to after one madvise(MADV_DONTNEED), which frees and uncharges every page, divided by the pages.", false },
		{ "iteration", "page", "One round, charge and uncharge, divided by the pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
