/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result stream: frames of
 *
 *   KASSAY <kind> <name> <payload bytes> <crc32, 8 hex>\n<payload>\n
 *
 * The crc32 (as in zlib) covers "<kind> <name> <payload bytes>\n<payload>", so
 * that a damaged name is seen too. A section is announced by `begin` with the
 * number of frames that follow before its `end`. It is built in memory and
 * written in one go.
 */
#ifndef KASSAY_EMIT_H
#define KASSAY_EMIT_H

#include <stdbool.h>
#include <stddef.h>

struct stream {
	char *data;
	size_t used;
	size_t size;
	char *scratch; /* room for one payload */
	size_t scratch_size;
	unsigned long records;
	bool full;
};

/* Takes address space for a section; memory is used only as it fills. Returns 0 or -1. */
int stream_init(struct stream *stream);

/* Adds a frame. @name may be NULL ("-"); blanks and the like are percent-encoded. */
void emit(struct stream *stream, const char *kind, const char *name, const void *payload, size_t length);
void emit_text(struct stream *stream, const char *kind, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds @path verbatim as "file <moment>:<path>", or "absent" with the errno's name. */
void emit_file(struct stream *stream, const char *moment, const char *path);
void emit_absent(struct stream *stream, const char *moment, const char *path, int error);

/* Writes begin, all frames, end. Returns 0 or -1 (errno). */
int stream_write(const struct stream *stream, const char *section, int fd);

/* Writes one `stage` frame at once; payload: @uptime_ns. */
int emit_stage(int fd, const char *stage, unsigned long long uptime_ns);

#endif
