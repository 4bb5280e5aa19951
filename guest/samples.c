// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* One read of such a file gives the zones that fit the kernel's buffer. */
#define READS 8
#define READ_BYTES (8 * KIB)
#define SAMPLE_BYTES (READS * READ_BYTES)
#define MAX_SAMPLES 1024

static struct {
	uint64_t file;
	char *memory;
	struct iovec next;
} samples;

static void add_sample(struct script *script)
{
	script_call(script, lseek, &samples.file, 0, SEEK_SET);
	script_call(script, readv, &samples.file, (uintptr_t)&samples.next, 1);
	script_step(script, (struct step){ .run = step_add, .start = (uint64_t *)(void *)&samples.next.iov_base, .args = { READ_BYTES } });
	script_repeat(script, 2, READS);
}

int samples_prepare(struct run *run)
{
	struct script warm = { 0 };
	int fd;

	if (!run->sampled)
		return 0;
	if (run->rounds > MAX_SAMPLES)
		return fail(run, "at most %d rounds are sampled", MAX_SAMPLES);
	fd = open(run->sampled, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(run, "%s: %s", run->sampled, strerror(errno));
	samples.file = (uint64_t)fd;
	/* One more, for the first read of all, in which the kernel makes its buffer. */
	samples.memory = mmap(NULL, (run->rounds + 1) * SAMPLE_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (samples.memory == MAP_FAILED)
		return fail(run, "no memory for %" PRIu64 " samples: %s", run->rounds, strerror(errno));
	samples.next = (struct iovec){ samples.memory, READ_BYTES };
	add_sample(&warm);
	add_sample(&run->round);
	return script_do(run, &warm);
}

/* Of zoneinfo what tells of the per-CPU lists, and of the zone how many pages are free. */
static bool is_wanted(const char *line)
{
	static const char *const wanted[] = { "Node ", "cpu: ", "count:", "high:", "batch:", "high_min:", "high_max:", "pages free", "low " };

	line += strspn(line, " ");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		if (!strncmp(line, wanted[i], strlen(wanted[i])))
			return true;
	}
	return false;
}

static size_t take(char *out, const char *text, size_t size)
{
	const char *end = text + size;
	size_t used = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ? newline + 1 : end) - text);

		if (is_wanted(text)) {
			memcpy(out + used, text, length);
			used += length;
		}
		text += length;
	}
	return used;
}

/* A line may stand in two reads. Returns the length of the text. */
static size_t join(char *sample)
{
	size_t size = 0;

	for (size_t i = 0; i < READS; i++) {
		const char *part = sample + i * READ_BYTES;
		size_t length = strnlen(part, READ_BYTES);

		memmove(sample + size, part, length);
		size += length;
	}
	return size;
}

void samples_emit(struct run *run)
{
	struct stream *stream = &run->stream;
	size_t row = run->phase_count + 1, used = 0;

	if (!run->sampled)
		return;
	for (uint64_t round = 0; round < run->rounds; round++) {
		char *sample = samples.memory + (round + 1) * SAMPLE_BYTES;

		if (sample[SAMPLE_BYTES - READ_BYTES]) {
			fail(run, "%s does not end within %d reads of %lu KiB", run->sampled, READS, READ_BYTES / KIB);
			return;
		}
		if (used + SAMPLE_BYTES > stream->scratch_size) {
			fail(run, "the samples of %" PRIu64 " rounds take more than %zu MiB", run->rounds, stream->scratch_size / MIB);
			return;
		}
		used += (size_t)snprintf(stream->scratch + used, stream->scratch_size - used, "sample %" PRIu64 "\n",
					 run->ticks[(round + 1) * row - 1] - run->ticks[0]);
		used += take(stream->scratch + used, sample, join(sample));
	}
	emit(stream, "file", "after:kassay/samples", stream->scratch, used);
}
