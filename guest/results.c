// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that make the same system calls do not do the same work if the calls fail on one kernel, are given other
 * lengths, or return fewer bytes. So the execution that is watched outside of the measured region stops at its first
 * calls, and their errors and bytes are counted by name: those of the first process, and those of its children and of
 * all threads together. Which of the latter come first may be chance, so they count only if all were seen.
 */
#define _GNU_SOURCE
#include <asm/unistd.h> /* newer calls than those of the C library */
#include <inttypes.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "amounts.h"
#include "arguments.h"
#include "call_names.h"
#include "error_name.h"
#include "found.h"
#include "results.h"
#include "ring.h"
#include "sums.h"
#include "targets.h"

#define MOST_CALLS 4000 /* of the first process */
#define MOST_CALLS_OF_OTHERS 4000
#define MOST_TASKS 256
#define MOST_KINDS 512
#define MOST_WORDS 384 /* kinds behind these have one word */
#define LINE_BYTES 160

/* A call, and a word for its task or its file; most calls have "". */
struct call {
	uint64_t number;
	char kind[KIND_BYTES];
};

struct result {
	struct call call;
	uint64_t error, times, amount;
};

/* A task, the call that it is in with the amount it was given, and its last break. */
struct task {
	pid_t pid;
	struct call entered;
	uint64_t args[6], given, end;
};

static struct set {
	struct result results[MOST_KINDS];
	size_t kinds, calls;
	bool missed;
} first, others;

static struct task tasks[MOST_TASKS]; /* the first one is the process itself; a free one has no pid */

#define CALL(name) [__NR_##name] = #name,
static const char *const names[] = { CALLS_OF_ALL CALLS_OF_ARCH };
#undef CALL

static struct set *set_of(const struct task *task)
{
	return task == tasks ? &first : &others;
}

static struct task *task_of(pid_t pid)
{
	for (size_t i = 0; i < MOST_TASKS; i++) {
		if (tasks[i].pid == pid)
			return &tasks[i];
	}
	return NULL;
}

static bool is_full(const struct set *set)
{
	return set->calls >= (set == &first ? MOST_CALLS : MOST_CALLS_OF_OTHERS);
}

bool results_begin(pid_t pid)
{
	struct task *task = task_of(0);

	if (task && !is_full(&others))
		*task = (struct task){ .pid = pid };
	else
		others.missed = true;
	return !others.missed;
}

bool results_known(pid_t pid)
{
	return task_of(pid);
}

void results_end(pid_t pid)
{
	struct task *task = task_of(pid);

	if (task && task != tasks)
		task->pid = 0;
}

bool results_wanted(pid_t pid)
{
	const struct task *task = task_of(pid);

	return task && !is_full(set_of(task));
}

static bool same_call(const struct call *one, const struct call *other)
{
	return one->number == other->number && !strcmp(one->kind, other->kind);
}

/* The index of a row; that behind the last one if there is none yet. */
static size_t row_of(const struct set *set, const struct call *call, uint64_t error)
{
	size_t i = 0;

	while (i < set->kinds && (!same_call(&set->results[i].call, call) || set->results[i].error != error))
		i++;
	return i;
}

static void count(struct set *set, const struct call *call, uint64_t error, uint64_t amount)
{
	const struct call rest = { .number = call->number, .kind = "others" };
	size_t i = row_of(set, call, error);

	if (i == set->kinds && i >= MOST_WORDS && call->kind[0]) {
		call = &rest;
		i = row_of(set, call, error);
	}
	if (i == MOST_KINDS)
		return;
	if (i == set->kinds)
		set->results[set->kinds++] = (struct result){ .call = *call, .error = error };
	set->results[i].times++;
	set->results[i].amount += amount;
}

/* How much a call did that has succeeded. A break is an address: how far it was moved is known from the second on. */
static uint64_t amount_of(struct task *task, uint64_t returned)
{
	uint64_t before = task->end;

	if (task->entered.number == SYS_execve || task->entered.number == SYS_execveat) {
		task->end = 0;
		return amount_executed(task->pid);
	}
	if (task->entered.number == SYS_brk) {
		task->end = returned;
		return !before ? 0 : returned > before ? returned - before : before - returned;
	}
	if (task->entered.number == SYS_io_uring_enter)
		return task->given ? 0 : returned;
	return amount_returned(task->entered.number) ? returned : task->given;
}

/* Counts the operations that a call gives to io_uring, and their lengths; returns whether they are known. */
static bool note_operations(struct task *task)
{
	uint32_t operations, length;
	unsigned int operation;

	if (!ring_submits(task->pid, task->args, &operations))
		return false;
	for (uint32_t i = 0; i < operations; i++) {
		struct call call = { .number = SYS_io_uring_enter };

		ring_submission(task->pid, task->args, i, &operation, &length);
		snprintf(call.kind, sizeof(call.kind), "operation-%u", operation);
		count(set_of(task), &call, 0, length);
	}
	return true;
}

static void note_entry(struct task *task, uint64_t number, const uint64_t *args)
{
	enum caller caller = task == tasks ? FIRST : OTHERS;
	struct call *call = &task->entered;

	*call = (struct call){ .number = number };
	memcpy(task->args, args, sizeof(task->args));
	if (!kind_given(number, args, call->kind))
		target_given(task->pid, number, args, call->kind);
	task->given = amount_given(task->pid, number, args);
	others.missed |= !!(clone_flags(task->pid, number, args) & CLONE_UNTRACED);
	if (number == SYS_io_uring_enter)
		task->given = note_operations(task);
	arguments_note(task->pid, caller, number, args, call->kind, target_hidden(task->pid, number, args));
	found_note(task->pid, caller, number, args, call->kind);
}

static void note_exit(struct task *task, bool failed, uint64_t returned)
{
	uint64_t amount = 0;

	if (!failed) {
		ring_note(task->pid, task->entered.number, task->args, returned);
		amount = amount_of(task, returned);
		if (task == tasks)
			sum_succeeded(task->entered.number, task->args, returned);
	}
	set_of(task)->calls++;
	count(set_of(task), &task->entered, failed ? -returned : 0, amount);
}

void results_note(pid_t pid)
{
	struct task *task = task_of(pid);
	struct __ptrace_syscall_info info;

	if (!task || ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		note_entry(task, info.entry.nr, (const uint64_t *)info.entry.args);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT && !is_full(set_of(task)))
		note_exit(task, info.exit.is_error, (uint64_t)info.exit.rval);
}

static void emit_set(struct run *run, const char *path, const struct set *set)
{
	char *text = run->stream.scratch;
	size_t used = 0;

	for (size_t i = 0; i < set->kinds; i++) {
		const struct result *result = &set->results[i];
		uint64_t number = result->call.number;
		bool known = number < sizeof(names) / sizeof(*names) && names[number];
		const char *error = result->error ? error_name((int)result->error) : "-";
		char other[32];

		snprintf(other, sizeof(other), "call%" PRIu64, number);
		used += (size_t)snprintf(text + used, LINE_BYTES, "%s %s %" PRIu64 " %" PRIu64 " %s\n",
					 known ? names[number] : other, error ? error : "unknown", result->times,
					 result->amount, *result->call.kind ? result->call.kind : "-");
	}
	emit(&run->stream, "file", path, text, used);
}

static void emit_arguments(struct run *run, const char *path, enum caller caller)
{
	char *text = run->stream.scratch;
	size_t used = 0;

	for (uint64_t number = 0; number < sizeof(names) / sizeof(*names); number++) {
		if (names[number] && arguments_number(caller, number))
			used += (size_t)snprintf(text + used, LINE_BYTES, "%s %016" PRIx64 "\n", names[number],
						 arguments_number(caller, number));
	}
	emit(&run->stream, "file", path, text, used);
}

static void emit_found(struct run *run, const char *path, enum caller caller)
{
	char *text = run->stream.scratch;
	size_t used = 0;

	for (uint64_t number = 0; number < sizeof(names) / sizeof(*names); number++) {
		struct found found = found_by(caller, number);
		const struct memory *sum = &found.memory;

		if (!names[number] || !found.calls || used + 2 * LINE_BYTES > run->stream.scratch_size)
			continue;
		used += (size_t)snprintf(text + used, 2 * LINE_BYTES,
					 "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
					 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ",
					 names[number], found.calls, found.before, found.looked, sum->bytes,
					 sum->huge_bytes, sum->mappings, sum->table_bytes, found.faults,
					 sum->swapped_bytes, found.files, sum->cached_bytes,
					 arguments_unread(caller, number));
		if (caller == FIRST)
			used += found_each(number, text + used, run->stream.scratch_size - used - 1);
		else
			text[used++] = '-';
		text[used++] = '\n';
	}
	emit(&run->stream, "file", path, text, used);
}

void results_emit(struct run *run)
{
	emit_arguments(run, "before:kassay/program/arguments", FIRST);
	emit_found(run, "before:kassay/program/found", FIRST);
	emit_set(run, "before:kassay/program/results", &first);
	if (others.missed || is_full(&others))
		return;
	emit_arguments(run, "before:kassay/program/arguments_of_others", OTHERS);
	emit_found(run, "before:kassay/program/found_by_others", OTHERS);
	emit_set(run, "before:kassay/program/results_of_others", &others);
}
