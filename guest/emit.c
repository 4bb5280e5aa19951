// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "emit.h"
#include "error_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STREAM_BYTES (32UL << 20)
#define SCRATCH_BYTES (8UL << 20)
#define HEADER_BYTES 320
#define READ_BYTES (32UL << 10) /* /proc/sys allocates what is asked for, up to a limit */

static uint32_t crc32_more(uint32_t crc, const void *data, size_t length)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const unsigned char *byte = data;

	for (size_t i = 0; i < length; i++) {
		crc ^= byte[i];
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return crc;
}

static void encode_name(char *ret, size_t size, const char *name)
{
	size_t used = 0;

	if (!name || !*name)
		name = "-";
	for (; *name && used + 4 < size; name++) {
		unsigned char c = (unsigned char)*name;

		if (c > ' ' && c < 0x7f && c != '%')
			ret[used++] = (char)c;
		else
			used += (size_t)snprintf(ret + used, size - used, "%%%02X", c);
	}
	ret[used] = '\0';
}

/* Writes the header line of a frame to @ret (HEADER_BYTES); returns its length. */
static size_t make_header(char *ret, const char *kind, const char *name, const void *payload, size_t length)
{
	char encoded[HEADER_BYTES - 64], summed[HEADER_BYTES - 16];
	uint32_t crc = 0xffffffff;
	int used;

	encode_name(encoded, sizeof(encoded), name);
	used = snprintf(summed, sizeof(summed), "%.16s %s %zu\n", kind, encoded, length);
	crc = crc32_more(crc, summed, (size_t)used);
	crc = ~crc32_more(crc, payload, length);
	summed[used - 1] = '\0';
	return (size_t)snprintf(ret, HEADER_BYTES, "KASSAY %s %08x\n", summed, crc);
}

int stream_init(struct stream *stream)
{
	char *room = mmap(NULL, STREAM_BYTES + SCRATCH_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return -1;
	/* Fails only on kernels without huge pages, where it is not needed. */
	madvise(room, STREAM_BYTES + SCRATCH_BYTES, MADV_NOHUGEPAGE);
	*stream = (struct stream){ .data = room, .size = STREAM_BYTES };
	stream->scratch = room + STREAM_BYTES;
	stream->scratch_size = SCRATCH_BYTES;
	return 0;
}

void emit(struct stream *stream, const char *kind, const char *name, const void *payload, size_t length)
{
	char header[HEADER_BYTES];
	size_t used = make_header(header, kind, name, payload, length);

	if (stream->full || length > stream->size || stream->used + used + length + 1 > stream->size) {
		stream->full = true;
		return;
	}
	memcpy(stream->data + stream->used, header, used);
	memcpy(stream->data + stream->used + used, payload, length);
	stream->used += used + length;
	stream->data[stream->used++] = '\n';
	stream->records++;
}

void emit_text(struct stream *stream, const char *kind, const char *name, const char *format, ...)
{
	char text[1024];
	va_list args;
	int used;

	va_start(args, format);
	used = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (used < 0)
		used = 0;
	emit(stream, kind, name, text, (size_t)used < sizeof(text) ? (size_t)used : sizeof(text) - 1);
}

void emit_absent(struct stream *stream, const char *moment, const char *path, int error)
{
	const char *errno_name = error_name(error);
	char name[256];

	snprintf(name, sizeof(name), "%s:%s", moment, path);
	emit_text(stream, "absent", name, "%s", errno_name ? errno_name : "EIO");
}

void emit_file(struct stream *stream, const char *moment, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char name[256];
	size_t used = 0;
	ssize_t got = -1;

	if (fd < 0) {
		emit_absent(stream, moment, path, errno);
		return;
	}
	while (used + READ_BYTES <= stream->scratch_size) {
		got = read(fd, stream->scratch + used, READ_BYTES);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	if (got < 0) {
		emit_absent(stream, moment, path, errno);
	} else if (got > 0) {
		emit_absent(stream, moment, path, EFBIG);
	} else {
		snprintf(name, sizeof(name), "%s:%s", moment, path);
		emit(stream, "file", name, stream->scratch, used);
	}
	close(fd);
}

static int write_all(int fd, const char *data, size_t length)
{
	while (length) {
		ssize_t done = write(fd, data, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		length -= (size_t)done;
	}
	return 0;
}

static int write_frame(int fd, const char *kind, const char *name, const char *payload)
{
	char frame[HEADER_BYTES + 128];
	size_t length = strlen(payload);
	size_t used = make_header(frame, kind, name, payload, length);

	used += (size_t)snprintf(frame + used, sizeof(frame) - used, "%s\n", payload);
	return write_all(fd, frame, used);
}

int stream_write(const struct stream *stream, const char *section, int fd)
{
	char payload[96];

	if (stream->full) {
		errno = ENOSPC;
		return -1;
	}
	snprintf(payload, sizeof(payload), "section=%.32s records=%lu", section, stream->records);
	if (write_frame(fd, "begin", NULL, payload) || write_all(fd, stream->data, stream->used))
		return -1;
	return write_frame(fd, "end", NULL, payload);
}

int emit_stage(int fd, const char *stage, unsigned long long uptime_ns)
{
	char payload[32];

	snprintf(payload, sizeof(payload), "%llu", uptime_ns);
	return write_frame(fd, "stage", stage, payload);
}
