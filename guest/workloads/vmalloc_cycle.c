// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmalloc() and vfree() by init_module(): it takes memory for the whole image before it copies any of it, and gives it
 * back when the copy fails. The image lies where nothing is mapped, so every call ends with EFAULT, which no kernel
 * answers before it has the memory: without it the error is ENOMEM, without the right to load modules EPERM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

static struct {
	uint64_t nowhere;
	uint64_t size;
	uint64_t calls;
} w;

static int setup(struct run *run)
{
	struct script *round = round_script(run);
	struct step *call;

	w.size = param_number(run, "size");
	w.nowhere = memory_reserve(run, w.size);
	if (!w.nowhere)
		return -1;
	syscall(SYS_init_module, w.nowhere, w.size, "");
	if (errno != EFAULT)
		return fail(run, "init_module (CONFIG_MODULES, and the right to load modules): %s", strerror(errno));
	phase_add(run, "cycle", w.size / page_bytes());
	mark(run);
	call = script_call(round, init_module, &w.nowhere, w.size, (uintptr_t)"");
	call->tolerated = EFAULT;
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.calls, .args = { 1 } });
	return 0;
}

static void verify(struct run *run)
{
	if (w.calls != run_rounds(run))
		complain(run, "%" PRIu64 " calls instead of %" PRIu64, w.calls, run_rounds(run));
}

static void teardown(struct run *run)
{
	(void)run;
}

const struct workload workload = {
	.name = "vmalloc_cycle",
	.summary = "vmalloc() and vfree() of a range, by an init_module() whose image cannot be read",
	.subject = "Taking and giving back {size} of vmalloc memory",
	.state = "none; the kernel unmaps in batches of at least 32 MiB, so that many rounds or large sizes meet such a batch now and then",
	.group = "kernel memory",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "1MiB", "length of the image, for which memory is taken", MIN_PAGE_BYTES, GIB, { 0 } },
	},
	.phases = {
		{ "cycle", "page",
		  "From before to after one init_module() that fails with EFAULT, divided by the pages of the image: allocation, "
		  "page tables, the failing copy (at most 64 KiB are cleared) and the release.",
		  true },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
