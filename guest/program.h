/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that a user brought, as the parts of its runner share it. */
#ifndef KASSAY_PROGRAM_H
#define KASSAY_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "application.h"
#include "run.h"

#define PROGRAM_PATH "/program"
#define PROGRAM_WORK "/data" /* its working directory, a tmpfs */
#define PROGRAM_OUTPUT "/output"
#define MAX_PROGRAM_WORDS 64
#define MAX_PROGRAM_TASKS 1024 /* of the whole machine: a program that forks without end gets EAGAIN */
#define OUTPUT_BYTES "4m"      /* of all executions of a run together */

struct program {
	char *argv[MAX_PROGRAM_WORDS + 2];
	char *envp[MAX_PROGRAM_WORDS + 8];
	uint64_t status;   /* the exit status that counts as success */
	uint64_t limit_ms; /* guest time of one execution */
	uint64_t operations; /* of a round */
	bool counted;      /* rounds are marked by the program or by the emulator, not by us */
	int null, output, errors;
	const char *work;  /* the printed name by which the host divides; NULL for none */
	const struct application *application; /* that it is the command of; NULL for a program that a user brought */
};

/* Executes it once outside of the region, and looks at it when it ends. Returns 0 or what fail() returns. */
int program_watch(struct run *run, const struct program *program);

/*
 * Kills the program and all its processes when executions take longer than @ms of guest time together; 0 stops that.
 * program_overran() tells whether it did, and how many tasks there were then.
 */
void program_limit(uint64_t ms);

/* Ends a task of the program that runs for @ms and a second without waiting, if the policy is SCHED_FIFO. */
void program_limit_spin(uint64_t ms);
bool program_overran(unsigned int *ret_tasks);

/* Ends the run with what wait4() said of the program. Returns what fail() returns. */
int program_failed(struct run *run, const struct program *program, int status);

/* The same of another command of the application, @path, with @word in front. */
int program_ended(struct run *run, const struct program *program, const char *word, const char *path, int status);

/* Ships what it wrote. */
void program_emit(struct run *run);

#endif
