// SPDX-License-Identifier: GPL-2.0-only
/*
 * The relay has a real-time priority: on one CPU it runs as soon as the program has written a line, before the program
 * goes on. What it executes itself, some thousand instructions for each piece of output, is part of the round.
 */
#define _GNU_SOURCE
#include "relay.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/kassay.h"

#define LINE_BYTES 4096 /* of a longer line the beginning is looked at */

static struct {
	const char *start;
	const char *end;
	char line[LINE_BYTES + 1];
	size_t used;
	bool open;
} relay;

static void end_line(void)
{
	relay.line[relay.used] = '\0';
	relay.used = 0;
	if (relay.open && strstr(relay.line, relay.end)) {
		KASSAY_ROUND_END();
		relay.open = false;
	} else if (!relay.open && strstr(relay.line, relay.start)) {
		KASSAY_ROUND_BEGIN();
		relay.open = true;
	}
}

__attribute__((noreturn)) static void work(int from, int output)
{
	static char text[64 * 1024];
	const struct sched_param first = { .sched_priority = 1 };
	ssize_t got;

	sched_setscheduler(0, SCHED_FIFO, &first);
	while ((got = read(from, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] == '\n')
				end_line();
			else if (relay.used < LINE_BYTES)
				relay.line[relay.used++] = text[i];
		}
		for (ssize_t done = 0, put; done < got && (put = write(output, text + done, (size_t)(got - done))) > 0;)
			done += put;
	}
	_exit(0);
}

int relay_start(const char *start, const char *end, int output)
{
	int pipes[2];
	pid_t child;

	relay.start = start;
	relay.end = end;
	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0) {
		if (fork())
			_exit(0);
		close(pipes[1]);
		work(pipes[0], output);
	}
	waitpid(child, NULL, 0);
	close(pipes[0]);
	return pipes[1];
}
