// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libMicro's mprotect cases do, under their names: a private mapping of /dev/zero loses all permissions and gets
 * them back. z: untouched, w: written before, t: each page is read before the permissions go.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "memory.h"

#define STAMP 0x6d70726f74

static const struct shape {
	const char *name;
	size_t size; /* 0: as the parameter says */
	bool write;
	bool touch;
} shapes[] = {
	{ "mprot_tw4m", 4 * MIB, true, true },	   { "mprot_z8k", 8 * KIB, false, false },
	{ "mprot_z128k", 128 * KIB, false, false }, { "mprot_wz8k", 8 * KIB, true, false },
	{ "mprot_wz128k", 128 * KIB, true, false }, { "mprot_twz8k", 8 * KIB, true, true },
	{ "mprot_tw128k", 128 * KIB, true, true },  { "mprot_z", 0, false, false },
	{ "mprot_wz", 0, true, false },		    { "mprot_tw", 0, true, true },
};

static struct {
	uint64_t start;
	size_t size;
	uint64_t pages;
	const struct shape *shape;
	int zero;
	uint64_t calls;
	uint64_t reads; /* pages that held what was written */
} w;

static void choose_shape(struct run *run)
{
	w.shape = shapes;
	while (!param_is(run, "case", w.shape->name))
		w.shape++;
	w.size = w.shape->size ? w.shape->size : param_number(run, "size");
	w.pages = w.size / page_bytes();
}

static void protect(struct script *round, int protection)
{
	script_step(round, (struct step){ .run = step_call, .number = SYS_mprotect, .start = &w.start, .what = "mprotect",
					  .args = { w.size, (uint64_t)protection } });
	script_step(round, (struct step){ .run = step_add, .start = &w.calls, .args = { 1 } });
}

static void make_round(struct run *run)
{
	struct script *round = round_script(run);

	mark(run);
	if (w.shape->touch) {
		script_step(round, (struct step){ .run = step_count, .start = &w.start,
						  .args = { w.size, STAMP, page_bytes(), (uintptr_t)&w.reads } });
		mark(run);
	}
	protect(round, PROT_NONE);
	mark(run);
	protect(round, PROT_READ | PROT_WRITE);
	mark(run);
}

static void declare_state(struct run *run)
{
	range_set(run, (void *)(uintptr_t)w.start, w.size);
	require_both(run, "range.vmas", "==", 1);
	require_both(run, "range.KernelPageSize", "==", page_bytes() / KIB);
	require_both(run, "range.AnonHugePages", "==", 0);
	require_both(run, "range.THPeligible", "==", 0);
	require_both(run, "pagemap.present", "==", w.shape->write ? w.pages : 0);
}

static int setup(struct run *run)
{
	struct script make = { 0 };

	choose_shape(run);
	if (w.size % page_bytes())
		return fail(run, "%s: %zu bytes are not whole pages of this kernel", w.shape->name, w.size);
	w.start = memory_reserve(run, w.size);
	if (!w.start)
		return -1;
	w.zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	if (w.zero < 0)
		return fail(run, "/dev/zero: %s", strerror(errno));
	memory_map(&make, &w.start, w.size, false, w.zero);
	memory_want_base(&make, &w.start, w.size);
	if (w.shape->write)
		memory_fill(&make, &w.start, w.size, STAMP);
	if (script_do(run, &make))
		return -1;
	if (w.shape->touch)
		phase_add(run, "touch", 1);
	phase_add(run, "none", 1);
	phase_add(run, "rw", 1);
	make_round(run);
	declare_state(run);
	return 0;
}

static void verify(struct run *run)
{
	uint64_t rounds = run_rounds(run);

	if (w.calls != 2 * rounds)
		complain(run, "mprotect succeeded %" PRIu64 " times instead of %" PRIu64, w.calls, 2 * rounds);
	if (w.shape->touch && w.reads != rounds * w.pages)
		complain(run, "%" PRIu64 " page reads instead of %" PRIu64, w.reads, rounds * w.pages);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.start)
		munmap((void *)(uintptr_t)w.start, w.size);
}

const struct workload workload = {
	.name = "mprot",
	.group = "page tables",
	.summary = "libMicro's mprot_* cases: mprotect() to no permission and back; mprot_tw4m is case=mprot_tw4m",
	.subject = "Taking all permissions from memory and giving them back as libMicro's {case}",
	.state = "one private mapping of /dev/zero, which is anonymous memory; base pages (MADV_NOHUGEPAGE), none present with z "
		 "alone, all present and written with w",
	.params = {
		{ "case", PARAM_CHOICE, "name", "mprot_tw4m",
		  "libMicro's name: t each page is read first, w written before, z neither of them afterwards, then the length; without a "
		  "length (mprot_z, mprot_wz, mprot_tw) that of size", 0, 0,
		  { "mprot_tw4m", "mprot_z8k", "mprot_z128k", "mprot_wz8k", "mprot_wz128k", "mprot_twz8k", "mprot_tw128k", "mprot_z",
		    "mprot_wz", "mprot_tw" } },
		{ "size", PARAM_SIZE, "bytes", "4MiB", "length of the mapping of mprot_z, mprot_wz and mprot_tw; the others ignore it",
		  MIN_PAGE_BYTES, 16 * GIB, { 0 } },
	},
	.phases = {
		{ "touch", "call", "One read of 8 bytes in each base page before the permissions go, all pages together; only with t.",
		  false },
		{ "none", "call", "From before to after one mprotect(PROT_NONE) of the whole range, all pages together.", false },
		{ "rw", "call", "From before to after one mprotect(PROT_READ|PROT_WRITE) of the whole range, all pages together.", false },
		{ "iteration", "call",
		  "One round, touch, none and rw: two calls of libMicro, whose usecs/call is the mean of both directions.", true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
