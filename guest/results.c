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
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "call_names.h"
#include "error_name.h"
#include "results.h"

#define MOST_CALLS 1000 /* of the first process */
#define MOST_CALLS_OF_OTHERS 2000
#define MOST_TASKS 64
#define MOST_KINDS 256
#define LINE_BYTES 80

struct result {
	uint64_t number, error, times, bytes;
};

/* A task, and the number of the call that it is in with the length it was given. */
struct task {
	pid_t pid;
	uint64_t entered, length;
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

static const uint64_t returning_bytes[] = {
	SYS_read,    SYS_write,	  SYS_pread64,	SYS_pwrite64, SYS_readv,	    SYS_writev,
	SYS_preadv,  SYS_pwritev, SYS_recvfrom, SYS_sendto,   SYS_recvmsg,	    SYS_sendmsg,
	SYS_splice,  SYS_tee,	  SYS_vmsplice, SYS_sendfile, SYS_copy_file_range,  SYS_getdents64,
	SYS_getrandom, SYS_process_madvise, SYS_process_vm_readv, SYS_process_vm_writev, SYS_readlinkat,
};

static bool returns_bytes(uint64_t number)
{
	for (size_t i = 0; i < sizeof(returning_bytes) / sizeof(*returning_bytes); i++) {
		if (returning_bytes[i] == number)
			return true;
	}
	return false;
}

/* Calls whose work is of a length, by the index of the argument that says it. */
static const struct {
	uint64_t number;
	unsigned int argument;
} given_length[] = {
	{ SYS_mmap, 1 },      { SYS_munmap, 1 },    { SYS_mprotect, 1 },  { SYS_madvise, 1 }, { SYS_mremap, 2 },
	{ SYS_mlock, 1 },     { SYS_mlock2, 1 },    { SYS_munlock, 1 },	  { SYS_msync, 1 },   { SYS_mincore, 1 },
	{ SYS_ftruncate, 1 }, { SYS_fallocate, 3 }, { SYS_readahead, 2 }, { SYS_mbind, 1 },
};

static uint64_t length_given(const struct __ptrace_syscall_info *info)
{
	for (size_t i = 0; i < sizeof(given_length) / sizeof(*given_length); i++) {
		if (given_length[i].number == info->entry.nr)
			return info->entry.args[given_length[i].argument];
	}
	return 0;
}

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

static void count(struct set *set, uint64_t number, uint64_t error, uint64_t bytes)
{
	size_t i = 0;

	while (i < set->kinds && (set->results[i].number != number || set->results[i].error != error))
		i++;
	if (i == MOST_KINDS)
		return;
	if (i == set->kinds)
		set->results[set->kinds++] = (struct result){ .number = number, .error = error };
	set->results[i].times++;
	set->results[i].bytes += bytes;
}

void results_note(pid_t pid)
{
	struct task *task = task_of(pid);
	struct __ptrace_syscall_info info;

	if (!task || ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		task->entered = info.entry.nr;
		task->length = length_given(&info);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && !is_full(set_of(task))) {
		uint64_t error = info.exit.is_error ? (uint64_t)-info.exit.rval : 0;
		bool bytes = info.exit.rval > 0 && returns_bytes(task->entered);

		set_of(task)->calls++;
		count(set_of(task), task->entered, error, error ? 0 : bytes ? (uint64_t)info.exit.rval : task->length);
	}
}

static void emit_set(struct run *run, const char *path, const struct set *set)
{
	char *text = run->stream.scratch;
	size_t used = 0;

	for (size_t i = 0; i < set->kinds; i++) {
		const struct result *result = &set->results[i];
		bool known = result->number < sizeof(names) / sizeof(*names) && names[result->number];
		const char *error = result->error ? error_name((int)result->error) : "-";
		char number[32];

		snprintf(number, sizeof(number), "call%" PRIu64, result->number);
		used += (size_t)snprintf(text + used, LINE_BYTES, "%s %s %" PRIu64 " %" PRIu64 "\n",
					 known ? names[result->number] : number, error ? error : "unknown", result->times,
					 result->bytes);
	}
	emit(&run->stream, "file", path, text, used);
}

void results_emit(struct run *run)
{
	emit_set(run, "before:kassay/program/results", &first);
	if (!others.missed && !is_full(&others))
		emit_set(run, "before:kassay/program/results_of_others", &others);
}
