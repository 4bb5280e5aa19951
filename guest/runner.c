// SPDX-License-Identifier: GPL-2.0-only
/*
 * main() of every workload: describe it, or run it once. Between the first
 * boundary of the first round and the last one of the last round nothing is
 * allocated, captured or sent. Exit status: 0 measured, 1 the run failed,
 * 2 bad arguments (1 and 2: an error frame tells why), 3 no stream could be written.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "run.h"
#include "samples.h"
#include "workers.h"

extern const char __executable_start, etext;

int fail(struct run *run, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!run->failed)
		emit_text(&run->stream, "error", NULL, "%s", text);
	run->failed = true;
	return -1;
}

void complain(struct run *run, const char *format, ...)
{
	va_list args;

	if (run->complained)
		return;
	run->complained = true;
	va_start(args, format);
	vsnprintf(run->complaint, sizeof(run->complaint), format, args);
	va_end(args);
}

void note(struct run *run, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	emit_text(&run->stream, "note", NULL, "%s", text);
}

void phase_add(struct run *run, const char *name, uint64_t operations)
{
	if (run->phase_count == MAX_PHASES)
		fail(run, "more than %d phases", MAX_PHASES);
	else
		run->phases[run->phase_count++] = (struct active_phase){ name, operations };
}

void range_set(struct run *run, const void *start, size_t length)
{
	run->range_start = start;
	run->range_length = length;
}

void range_count_folios(struct run *run)
{
	run->count_folios = true;
}

void require_at(struct run *run, const char *moment, const char *field, const char *operator, uint64_t value)
{
	emit_text(&run->stream, "require", NULL, "%s %s %s %" PRIu64, moment, field, operator, value);
}

void require_both(struct run *run, const char *field, const char *operator, uint64_t value)
{
	require_at(run, "before", field, operator, value);
	require_at(run, "after", field, operator, value);
}

void worker_add(struct run *run, int pid)
{
	if (run->worker_count == MAX_WORKERS)
		fail(run, "more than %d workers", MAX_WORKERS);
	else
		run->workers[run->worker_count++] = pid;
}

void rounds_fork(struct run *run)
{
	run->forks = true;
}

struct script *round_script(struct run *run)
{
	return &run->round;
}

static void add_mark(struct run *run, struct script *script)
{
	struct step boundary = { .run = step_mark };

	if (run->clock == CLOCK_RAW)
		boundary = (struct step){ .run = step_mark_time, .args = { (uintptr_t)raw_now } };
	script_step(script, boundary);
}

void mark(struct run *run)
{
	add_mark(run, &run->round);
	run->boundaries++;
}

/* Page faults on our own code belong to no round. */
static void touch_text(void)
{
	for (const volatile char *page = &__executable_start; page < &etext; page += page_bytes())
		(void)*page;
}

/* What a phase costs in which nothing is done. */
static int measure_overhead(struct run *run)
{
	struct script empty = { 0 };
	uint64_t ticks[2];

	add_mark(run, &empty);
	add_mark(run, &empty);
	if (script_close(run, &empty))
		return -1;
	run->overhead = UINT64_MAX;
	for (int i = 0; i < 64; i++) {
		script_run(empty.steps, ticks);
		if (ticks[1] - ticks[0] < run->overhead)
			run->overhead = ticks[1] - ticks[0];
	}
	return 0;
}

/* A round that does nothing must be noticed by verify(). */
static int close_round(struct run *run)
{
	if (run->boundaries != run->phase_count + 1)
		return fail(run, "%s marks %zu boundaries in a round of %zu phases", workload.name, run->boundaries,
			    run->phase_count);
	if (run->skip_work) {
		run->round = (struct script){ 0 };
		for (size_t i = 0; i < run->boundaries; i++)
			add_mark(run, &run->round);
	}
	return script_close(run, &run->round);
}

/* Shared with children: a boundary must not be what copies the page, between reading the tick and its mark. */
static int prepare_ticks(struct run *run)
{
	size_t bytes = run->rounds * (run->phase_count + 1) * sizeof(*run->ticks);
	int share = run->forks ? MAP_SHARED : MAP_PRIVATE;

	run->ticks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, share | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (run->ticks == MAP_FAILED)
		return fail(run, "no memory for %" PRIu64 " rounds: %s", run->rounds, strerror(errno));
	memset(run->ticks, 0, bytes);
	return 0;
}

static int measure(struct run *run)
{
	const struct step *failed = region_run(run->round.steps, run->rounds, run->ticks, run->boundaries);

	return failed ? script_failed(run, &run->round, failed) : 0;
}

static void emit_clock(struct run *run)
{
	uint64_t rate = clock_rate(run->clock);
	char text[32] = "unknown";

	if (rate)
		snprintf(text, sizeof(text), "%" PRIu64, rate);
	emit_text(&run->stream, "clock", NULL, "clock %s\nticks_per_second %s\noverhead %" PRIu64 "\n",
		  run->clock == CLOCK_TICKS ? "tsc" : "monotonic", text, run->overhead);
}

/* "iteration" is for the host to add up; its operations are those of any phase. */
static void emit_phases(struct run *run)
{
	uint64_t operations = 0;

	for (size_t i = 0; i < run->phase_count; i++) {
		emit_text(&run->stream, "phase", run->phases[i].name, "operations %" PRIu64, run->phases[i].operations);
		if (run->phases[i].operations)
			operations = run->phases[i].operations;
	}
	for (size_t i = 0; workload.phases[i].name; i++) {
		if (!strcmp(workload.phases[i].name, "iteration"))
			emit_text(&run->stream, "phase", "iteration", "operations %" PRIu64, operations);
	}
}

static int emit_rounds(struct run *run)
{
	size_t row = run->phase_count + 1, used = 0;
	struct stream *stream = &run->stream;

	if (run->counted) {
		emit_text(stream, "rounds", NULL, "profile\n");
		return 0;
	}
	for (size_t i = 0; i < run->rounds * row; i++) {
		if (used + 24 > stream->scratch_size)
			return fail(run, "too many rounds for the stream");
		used += (size_t)snprintf(stream->scratch + used, stream->scratch_size - used, "%" PRIu64 "%c",
					 run->ticks[i] - run->ticks[0], (i + 1) % row ? ' ' : '\n');
	}
	emit(stream, "rounds", NULL, stream->scratch, used);
	return 0;
}

static int run_once(struct run *run)
{
	cpu_set_t first;

	region_announce();
	workers_find_cpus();
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1 && sched_setaffinity(0, sizeof(first), &first))
		note(run, "not pinned to CPU 0: %s", strerror(errno));
	if (run->mmap_pages &&
	    mmap(NULL, run->mmap_pages * page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return fail(run, "no address space for %" PRIu64 " extra pages", run->mmap_pages);
	if (measure_overhead(run) || workload.setup(run) || run->failed || samples_prepare(run) || close_round(run) || prepare_ticks(run))
		return -1;
	touch_text();
	capture_before(run);
	if (measure(run))
		return -1;
	capture_after(run);
	emit_clock(run);
	emit_phases(run);
	if (emit_rounds(run))
		return -1;
	samples_emit(run);
	workload.verify(run);
	capture_cpu(run);
	emit_text(&run->stream, "check", NULL, "%s", run->complained ? run->complaint : "ok");
	return run->failed ? -1 : 0;
}

/* Moves the stack down on purpose; that must not change a result. */
static __attribute__((noinline)) int run_lower(struct run *run)
{
	volatile char *room = alloca(run->stack_bytes + 1);
	int status;

	room[0] = 0;
	status = run_once(run);
	return status + room[0];
}

static int write_out(struct run *run)
{
	int fd = STDOUT_FILENO;

	if (run->out && strcmp(run->out, "-"))
		fd = open(run->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0644);
	if (fd < 0 || stream_write(&run->stream, "workload", fd)) {
		fprintf(stderr, "%s: cannot write %s: %s\n", workload.name, run->out ? run->out : "-", strerror(errno));
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct run run;
	int status = 0;

	if (argc == 2 && !strcmp(argv[1], "--describe"))
		return describe(&workload) ? 3 : 0;
	if (argc < 2 || strcmp(argv[1], "--run")) {
		fprintf(stderr,
			"usage: %s --describe\n"
			"       %s --run [key=value]... --rounds N [--clock tsc|monotonic] [--stack-bytes N]\n"
			"           [--mmap-pages N] [--skip-work] [--out PATH]\n",
			argv[0], argv[0]);
		return 2;
	}
	if (stream_init(&run.stream)) {
		fprintf(stderr, "%s: no memory: %s\n", workload.name, strerror(errno));
		return 3;
	}
	emit(&run.stream, "workload", workload.name, "", 0);
	if (options_parse(&run, argc, argv)) {
		status = 2;
	} else {
		status = run_lower(&run) ? 1 : 0;
		workload.teardown(&run);
	}
	return write_out(&run) ? 3 : status;
}
