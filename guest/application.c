// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "application.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "number.h"

static const char *const kinds[COMMAND_KINDS] = { "setup", "server", "between", "run", "check" };
static char *words[MAX_APPLICATION_WORDS];
static size_t word_count;

static const char *begin_command(struct application *application, const char *kind)
{
	for (int i = 0; i < COMMAND_KINDS; i++) {
		if (strcmp(kind, kinds[i]))
			continue;
		if (application->counts[i] == MAX_APPLICATION_COMMANDS)
			return "more commands of one kind than there is room for";
		if (word_count + 2 > MAX_APPLICATION_WORDS)
			return "more words than there is room for";
		word_count++; /* behind the NULL that ends the command before */
		application->commands[i][application->counts[i]++] = &words[word_count];
		return NULL;
	}
	return "a command of an unknown kind";
}

static const char *set_key(struct application *application, const char *key, char *value)
{
	if (!strcmp(key, "user"))
		return parse_number(value, &application->user) ? NULL : "user is no number";
	if (!strcmp(key, "limit_ms"))
		return parse_number(value, &application->limit_ms) ? NULL : "limit_ms is no number";
	if (!strcmp(key, "directory"))
		application->directory = value;
	else if (!strcmp(key, "ready"))
		application->ready = value;
	else if (!strcmp(key, "start_line"))
		application->start_line = value;
	else if (!strcmp(key, "end_line"))
		application->end_line = value;
	else if (!strcmp(key, "command"))
		return begin_command(application, value);
	else if (!strcmp(key, "env") && application->variables + 1 < sizeof(application->envp) / sizeof(char *))
		application->envp[application->variables++] = value;
	else if (!strcmp(key, "arg") && word_count + 1 < MAX_APPLICATION_WORDS)
		words[word_count++] = value;
	else
		return "an unknown key, or more values than there is room for";
	return NULL;
}

/* All of the file, with a zero behind it. */
static char *contents(size_t *size)
{
	int fd = open(APPLICATION_CONF, O_RDONLY | O_CLOEXEC);
	struct stat found;
	char *text = NULL;

	if (fd >= 0 && !fstat(fd, &found) && (text = malloc((size_t)found.st_size + 1))) {
		ssize_t got = read(fd, text, (size_t)found.st_size);

		*size = got > 0 ? (size_t)got : 0;
		text[*size] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

const char *application_read(struct application *application)
{
	size_t size = 0;
	char *text = contents(&size), *at = text;

	if (!text)
		return strerror(errno);
	while (at < text + size) {
		char *value = strchr(at, '='), *next = at + strlen(at) + 1;
		const char *why;

		if (!value)
			return "a text without a key";
		*value = '\0';
		why = set_key(application, at, value + 1);
		if (why)
			return why;
		at = next;
	}
	return application->counts[COMMAND_RUN] == 1 && application->directory ? NULL : "no command to run";
}

void application_become(const struct application *application, char *const *argv, int output)
{
	gid_t user = (gid_t)application->user;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	signal(SIGPIPE, SIG_DFL);
	dup2(null, 0);
	if (output >= 0) {
		dup2(output, 1);
		dup2(output, 2);
	}
	if (chdir(application->directory) || (user && (setgroups(1, &user) || setgid(user) || setuid(user))))
		dprintf(2, "%s: %s\n", application->directory, strerror(errno));
	else
		execve(argv[0], argv, application->envp);
	dprintf(2, "%s cannot be executed: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static volatile sig_atomic_t overran;

static void on_alarm(int number)
{
	(void)number;
	overran = 1;
}

int application_execute(const struct application *application, char *const *argv, int output)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	struct timespec nap = { .tv_nsec = 1000000 };
	pid_t child;
	int status;

	sigaction(SIGALRM, &action, NULL);
	overran = 0;
	alarm((unsigned int)(application->limit_ms / 1000) + 1);
	child = fork();
	if (child == 0)
		application_become(application, argv, output);
	while (child > 0 && waitpid(child, &status, 0) < 0) {
		if (overran) {
			kill(child, SIGKILL);
			nanosleep(&nap, NULL);
		}
	}
	alarm(0);
	if (overran)
		errno = ETIME;
	return child < 0 || overran ? -1 : status;
}
