// SPDX-License-Identifier: GPL-2.0-only
/* fallocate() of an empty file on tmpfs, and giving its pages back: what will-it-scale calls fallocate1, in one call. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

static struct {
	uint64_t file;
	uint64_t size;
	uint64_t rounds;
	bool punch;
} w;

static int setup(struct run *run)
{
	struct script *round = round_script(run);
	int fd = memfd_create("kassay", MFD_CLOEXEC);

	if (fd < 0)
		return fail(run, "memfd_create: %s", strerror(errno));
	w.file = (uint64_t)fd;
	w.size = param_number(run, "size");
	w.punch = param_is(run, "release", "punch");
	phase_add(run, "allocate", w.size / page_bytes());
	phase_add(run, "release", w.size / page_bytes());
	mark(run);
	script_call(round, fallocate, &w.file, 0, 0, w.size);
	mark(run);
	if (w.punch)
		script_call(round, fallocate, &w.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, w.size);
	else
		script_call(round, ftruncate, &w.file, 0);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	return 0;
}

static void verify(struct run *run)
{
	struct stat file;
	off_t size = w.punch ? (off_t)w.size : 0;

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (fstat((int)w.file, &file) || file.st_blocks || file.st_size != size)
		complain(run, "the file was not given back: %jd bytes, %jd blocks", (intmax_t)file.st_size,
			 (intmax_t)file.st_blocks);
	if (fallocate((int)w.file, 0, 0, (off_t)w.size) || fstat((int)w.file, &file) ||
	    (uint64_t)file.st_blocks * 512 != w.size)
		complain(run, "fallocate() of %" PRIu64 " bytes makes %jd blocks of 512", w.size, (intmax_t)file.st_blocks);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.file)
		close((int)w.file);
}

const struct workload workload = {
	.name = "shmem_fallocate",
	.summary = "fallocate() of an empty tmpfs file, then ftruncate() to nothing or punching a hole of its length",
	.subject = "Allocating and releasing {size} of a tmpfs file",
	.state = "one file on the kernel's own tmpfs (memfd_create), without pages before each round, mapped by nobody",
	.group = "files",
	.params = {
		{ "size", PARAM_SIZE, "bytes", "256KiB", "length of the file", MIN_PAGE_BYTES, 4 * GIB, { 0 } },
		{ "release", PARAM_CHOICE, "word", "truncate", "how the pages are given back: ftruncate() to 0, or fallocate(PUNCH_HOLE)", 0, 0,
		  { "truncate", "punch" } },
	},
	.phases = {
		{ "allocate", "page", "From before to after one fallocate() of the whole length, divided by its base pages; each page is cleared.", true },
		{ "release", "page", "From before to after one ftruncate() to nothing, or one punching of the whole length, divided by the base pages.", false },
		{ "iteration", "page", "One round, allocate and release, divided by the base pages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
