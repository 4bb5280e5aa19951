/* SPDX-License-Identifier: GPL-2.0-only */
/* One run, as the parts of the runner share it; workloads see it only through workload.h. */
#ifndef KASSAY_RUN_H
#define KASSAY_RUN_H

#include <sys/types.h>

#include "clock.h"
#include "emit.h"
#include "script.h"

#define MAX_WORKERS 256
#define MAX_CAPTURED 16

struct setting {
	const struct param *param;
	uint64_t number;  /* sizes and counts */
	const char *word; /* choices */
};

struct active_phase {
	const char *name;
	uint64_t operations;
};

struct run {
	/* what was asked */
	struct setting settings[MAX_PARAMS];
	uint64_t rounds;
	enum clock clock;
	uint64_t stack_bytes;
	uint64_t mmap_pages;
	const char *out;
	bool skip_work;
	char **words; /* behind "--": for a workload that takes more than parameters */
	int word_count;
	const char *captured[MAX_CAPTURED]; /* files of the audit besides those of every run */
	size_t captured_count;
	const char *counters[MAX_CAPTURED]; /* the same, read next to the measured region */
	size_t counters_count;
	const char *sampled; /* a file read after each round, or NULL */

	/* what setup() declared */
	struct script round;
	size_t boundaries;
	struct active_phase phases[MAX_PHASES];
	size_t phase_count;
	bool counted; /* the boundaries are not ours: an emulator finds them, and counts between them */
	const char *range_start;
	size_t range_length;
	bool count_folios;
	bool forks;
	bool owns_users; /* every task with user code is the workload's, but for process 1 */
	pid_t workers[MAX_WORKERS];
	size_t worker_count;

	/* what was found */
	uint64_t *ticks;
	uint64_t overhead;
	bool failed;
	bool complained;
	char complaint[512];
	struct stream stream;
};

/* options.c: fills @run from "key=value" and "--option value". Returns 0, or -1 after fail(). */
int options_parse(struct run *run, int argc, char **argv);

/* describe.c: what the workload says of itself, as JSON on stdout. Returns 0 or -1. */
int describe(const struct workload *workload);

/* capture.c: the audit. moment: "before" or "after" the measured region. */
void capture_before(struct run *run);
void capture_after(struct run *run);

/* What the kernel knows of its CPU: features, and what it does about their vulnerabilities. */
void capture_cpu(struct run *run);

/* pages.c: counts over the range, from pagemap and kpageflags. */
void capture_pages(struct run *run, const char *moment);

/* The same of another process's memory, as "after:kassay/program/...". */
void capture_pages_of(struct run *run, int pid, uint64_t start, uint64_t length);

#endif
