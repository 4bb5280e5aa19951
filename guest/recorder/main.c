// SPDX-License-Identifier: GPL-2.0-only
/*
 * main() of the recorder: starts /recorded with its own arguments, records until that ends, and ends with its status.
 * The run disturbs itself (each event costs some hundred instructions), so that it is never one that counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "number.h"
#include "recorder.h"

#define CONF "/record.conf"
#define RECORDED "/recorded"
#define ZONEINFO "/proc/zoneinfo"
#define HIGH_FRACTION "/proc/sys/vm/percpu_pagelist_high_fraction"
#define STAT_INTERVAL "/proc/sys/vm/stat_interval"

static struct {
	uint64_t buffer_kb; /* of each CPU */
	uint64_t sample_us; /* between two looks at the lists */
	uint64_t calls; /* whether system calls and faults are recorded in place of pages */
} conf;

/* Lines buffer_kb=N, sample_us=N and, if need be, calls=1. */
static bool read_conf(void)
{
	char text[256] = "", *rest = text, *line;
	int fd = open(CONF, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (got < 0)
		return false;
	close(fd);
	while ((line = strsep(&rest, "\n")) && *line) {
		if (!strncmp(line, "buffer_kb=", 10) && parse_number(line + 10, &conf.buffer_kb))
			continue;
		if (!strncmp(line, "sample_us=", 10) && parse_number(line + 10, &conf.sample_us))
			continue;
		if (!strncmp(line, "calls=", 6) && parse_number(line + 6, &conf.calls))
			continue;
		return false;
	}
	return conf.buffer_kb && conf.sample_us;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* which the ring buffers use as well */
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The file stays open, so that the kernel asks for no memory for it again. */
static void sample(struct stream *stream, int zoneinfo)
{
	uint64_t at = now_ns();
	size_t used = 0;
	ssize_t got;
	char name[32];

	do {
		got = pread(zoneinfo, stream->scratch + used, stream->scratch_size - used, (off_t)used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	snprintf(name, sizeof(name), "%" PRIu64, at);
	emit(stream, "sample", name, stream->scratch, used);
}

static pid_t start(char **argv)
{
	pid_t child = fork();

	if (child)
		return child;
	execv(RECORDED, argv);
	fprintf(stderr, "kassay: recorder: " RECORDED ": %s\n", strerror(errno));
	_exit(127);
}

static const char *record(struct stream *stream, char **argv, int *status)
{
	struct timespec pause = { (time_t)(conf.sample_us / 1000000), (long)(conf.sample_us % 1000000) * 1000 };
	int zoneinfo = open(ZONEINFO, O_RDONLY | O_CLOEXEC);
	const char *why;
	pid_t child;

	if (zoneinfo < 0)
		return ZONEINFO " cannot be read";
	emit_file(stream, "setting", HIGH_FRACTION);
	emit_file(stream, "setting", STAT_INTERVAL);
	sample(stream, zoneinfo);
	why = tracing_switch(true);
	if (why)
		return why;
	sample(stream, zoneinfo);
	child = start(argv);
	if (child < 0)
		return "the workload cannot be started";
	while (!waitpid(child, status, WNOHANG)) {
		nanosleep(&pause, NULL);
		sample(stream, zoneinfo);
	}
	sample(stream, zoneinfo);
	why = tracing_switch(false);
	emit_text(stream, "ended", NULL, "%" PRIu64, now_ns());
	return why ? why : tracing_read(stream);
}

int main(int argc, char **argv)
{
	static struct stream stream;
	const char *why;
	int status = 0;

	(void)argc;
	why = read_conf() ? shared_open(&stream) : CONF " is not understood";
	if (!why)
		why = tracing_prepare(&stream, conf.buffer_kb, conf.calls);
	if (!why)
		why = record(&stream, argv, &status);
	if (!why && stream.full)
		why = "more was recorded than the shared memory holds";
	if (why && stream.data) {
		stream.used = stream.full ? 0 : stream.used;
		stream.full = false;
		emit_text(&stream, "error", NULL, "%s", why);
	}
	if (why) {
		fprintf(stderr, "kassay: recorder: %s\n", why);
		return 3;
	}
	emit(&stream, "end", NULL, "", 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
