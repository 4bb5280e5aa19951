// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "calls.h"
#include "harness.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (256UL << 20) /* of all memory of one execution: a larger allocation fails, as on a small host */
#define SLOTS 3
#define MOST_FILES 64

/* Sections that hold the program's variables; see native.py. */
extern char __start_trial_data[] __attribute__((weak)), __stop_trial_data[] __attribute__((weak));
extern char __start_trial_bss[] __attribute__((weak)), __stop_trial_bss[] __attribute__((weak));

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In front of each allocation. */
struct piece {
	struct piece *next, *before;
	size_t size, unused;
};

static struct piece pieces = { &pieces, &pieces, 0, 0 };
static struct {
	void *at;
	size_t size;
} maps[16];
static size_t used, map_count, file_count;
static int files[MOST_FILES];
static char *kept_data, *kept_bss;
static jmp_buf out;
static FILE *nowhere;
static int slots[SLOTS] = { -1, -1, -1 };
static volatile uint64_t *executions;

/* Not checked: between two variables there is memory that may not be touched. */
static void put(char *to, const char *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static char *kept(const char *start, const char *stop)
{
	char *copy = malloc((size_t)(stop - start) + 1);

	put(copy, start, (size_t)(stop - start));
	return copy;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = getenv("TRIALS_EXECUTIONS");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0644) : -1;

	(void)argc;
	(void)argv;
	kept_data = kept(__start_trial_data, __stop_trial_data);
	kept_bss = kept(__start_trial_bss, __stop_trial_bss);
	nowhere = fopen("/dev/null", "w");
	if (fd >= 0 && !ftruncate(fd, sizeof(*executions)))
		executions = mmap(NULL, sizeof(*executions), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return 0;
}

static void end_execution(void)
{
	while (pieces.next != &pieces) {
		struct piece *piece = pieces.next;

		pieces.next = piece->next;
		free(piece);
	}
	pieces.before = &pieces;
	while (map_count) {
		map_count--;
		munmap(maps[map_count].at, maps[map_count].size);
	}
	while (file_count)
		close(files[--file_count]);
	used = 0;
	put(__start_trial_data, kept_data, (size_t)(__stop_trial_data - __start_trial_data));
	put(__start_trial_bss, kept_bss, (size_t)(__stop_trial_bss - __start_trial_bss));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *output = stdout, *errors = stderr, *input = stdin;

	stdout = stderr = nowhere;
	if (!setjmp(out))
		trial(data, size);
	stdout = output;
	stderr = errors;
	stdin = input;
	end_execution();
	if (executions)
		++*executions;
	return 0;
}

__attribute__((noreturn)) void trial_exit(int status)
{
	(void)status;
	longjmp(out, 1);
}

static void *piece_of(struct piece *piece, size_t size)
{
	if (!piece)
		return NULL;
	*piece = (struct piece){ pieces.next, &pieces, size, 0 };
	pieces.next->before = piece;
	pieces.next = piece;
	used += size;
	return piece + 1;
}

void *trial_malloc(size_t size)
{
	return piece_of(size > MOST_BYTES - used ? NULL : malloc(sizeof(struct piece) + size), size);
}

void *trial_calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > MOST_BYTES - used)
		return NULL;
	return piece_of(calloc(1, sizeof(struct piece) + bytes), bytes);
}

void trial_free(void *memory)
{
	struct piece *piece;

	if (!memory)
		return;
	piece = (struct piece *)memory - 1;
	piece->before->next = piece->next;
	piece->next->before = piece->before;
	used -= piece->size;
	free(piece);
}

void *trial_realloc(void *memory, size_t size)
{
	void *larger = trial_malloc(size);
	size_t old = memory ? ((struct piece *)memory - 1)->size : 0;

	if (!larger)
		return NULL;
	if (memory)
		memcpy(larger, memory, old < size ? old : size);
	trial_free(memory);
	return larger;
}

void *trial_mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *at = map_count == 16 || size > MOST_BYTES ? MAP_FAILED : mmap(where, size, protection, flags, fd, offset);

	if (at != MAP_FAILED) {
		maps[map_count].at = at;
		maps[map_count++].size = size;
	}
	return at;
}

/* What is read is the input, whatever its name; what is written goes nowhere. A file that an error leaves open is closed. */
int trial_open(const char *path, int flags, ...)
{
	int fd;

	(void)path;
	if (file_count == MOST_FILES)
		return -1;
	if ((flags & O_ACCMODE) != O_RDONLY || slots[0] < 0) {
		fd = memfd_create("written", MFD_CLOEXEC);
	} else {
		lseek(slots[0], 0, SEEK_SET);
		fd = dup(slots[0]);
	}
	files[file_count++] = fd;
	return fd;
}

int trial_fchmod(int fd, mode_t mode)
{
	(void)fd;
	(void)mode;
	return 0;
}

const char *trial_file(unsigned int slot, const uint8_t *data, size_t size)
{
	static char paths[SLOTS][32];

	if (slots[slot] < 0)
		slots[slot] = memfd_create("input", MFD_CLOEXEC);
	if (ftruncate(slots[slot], 0) || pwrite(slots[slot], data, size, 0) != (ssize_t)size)
		abort();
	snprintf(paths[slot], sizeof(paths[slot]), "/proc/self/fd/%d", slots[slot]);
	return paths[slot];
}

const uint8_t *trial_fixed(const char *name, size_t *ret_size)
{
	char path[4096];
	uint8_t *data;
	long size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", getenv("TRIALS_FIXED"), name);
	file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
		abort();
	rewind(file);
	data = malloc((size_t)size + 1);
	if (fread(data, 1, (size_t)size, file) != (size_t)size)
		abort();
	fclose(file);
	*ret_size = (size_t)size;
	return data;
}

char *trial_text(const uint8_t *data, size_t size)
{
	char *text = trial_malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}
