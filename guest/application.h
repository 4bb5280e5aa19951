/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An application as the guest has it: commands of an image, who executes them, and in which order. It stands in
 * APPLICATION_CONF, "key=value" texts that each end with a zero byte: user=, directory=, ready=, start_line=, end_line=, limit_ms=, env=; and
 * command=KIND (setup, server, between, run, check), which begins a command of the arg= that follow.
 */
#ifndef KASSAY_APPLICATION_H
#define KASSAY_APPLICATION_H

#include <stddef.h>
#include <stdint.h>

#define APPLICATION_CONF "/application.conf"
#define MAX_APPLICATION_COMMANDS 8 /* of one kind */
#define MAX_APPLICATION_WORDS 512  /* of all commands together */

enum command_kind { COMMAND_SETUP, COMMAND_SERVER, COMMAND_BETWEEN, COMMAND_RUN, COMMAND_CHECK, COMMAND_KINDS };

struct application {
	uint64_t user;
	uint64_t limit_ms; /* guest time of one command */
	const char *directory;
	const char *ready;
	const char *start_line; /* the region is from a line that has it to one that has end_line; NULL for all */
	const char *end_line;
	char *envp[64];
	size_t variables;
	char **commands[COMMAND_KINDS][MAX_APPLICATION_COMMANDS]; /* the words of each, NULL behind the last */
	size_t counts[COMMAND_KINDS];
};

/* Reads APPLICATION_CONF. Returns NULL, or what is wrong with it. */
const char *application_read(struct application *application);

/*
 * Becomes the command @argv of the application, in a child of ours. @output: a file that takes what it prints, or -1
 * for our own. Never returns.
 */
__attribute__((noreturn)) void application_become(const struct application *application, char *const *argv, int output);

/* Executes @argv and waits for its end, at most limit_ms. Returns what wait4() says, or -1 (errno). */
int application_execute(const struct application *application, char *const *argv, int output);

#endif
