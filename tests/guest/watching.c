// SPDX-License-Identifier: GPL-2.0-only
/* Watches a program as the guest does, and prints the results of its calls, and the functions of the vDSO. usage: watching PROGRAM */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results.h"
#include "vdso.h"

/*
 * Results go to standard output, functions to standard error, the sums of arguments and the memory that calls found to
 * a file each, if one is named.
 */
void emit(struct stream *stream, const char *kind, const char *name, const void *payload, size_t length)
{
	bool found = strstr(name, "/found"), apart = found || strstr(name, "/arguments"), others = strstr(name, "_others");
	const char *path = getenv(found ? "FOUND_FILE" : "ARGUMENTS_FILE");
	FILE *file = !strcmp(name, "after:kassay/program/vdso") ? stderr : stdout;

	(void)stream;
	(void)kind;
	if (apart && (!path || others))
		return;
	if (apart)
		file = fopen(path, "we");
	if (file)
		fwrite(payload, 1, length, file);
	if (file && apart)
		fclose(file);
}

/* The results of other tasks are empty: none is followed. */
int main(int argc, char **argv)
{
	static char scratch[1 << 17];
	struct run run = { .stream = { .scratch = scratch, .scratch_size = sizeof(scratch) } };
	pid_t pid = argc > 1 ? fork() : -1;
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	results_begin(pid);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(uintptr_t)PTRACE_O_TRACESYSGOOD);
	while (WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			results_note(pid);
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, 0);
	}
	results_emit(&run);
	vdso_emit(&run.stream);
	return WEXITSTATUS(status);
}
