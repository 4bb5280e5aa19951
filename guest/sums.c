// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include "peek.h"
#include "sums.h"

#define MOST_REGIONS 128
#define MOST_BYTES (1UL << 19) /* of an array: 64 Ki files to wait for */
#define MOST_STEPS (1UL << 26) /* for all arrays: less than a second of guest time */
#define PATH_BYTES 256
#define MOST_NAMES 1024
#define LOWEST_ADDRESS (1ULL << 32) /* below it are numbers, and addresses of a static program, which stay */

/* Kinds of values. */
enum { NUMBER, IN_REGION, IN_HEAP, ELSEWHERE };

bool sum_unread;
static uint64_t steps; /* for the arrays so far: words, bytes, or comparisons with a region */

/* Mappings that calls of the first process have made, the latest last; older ones give way. */
static struct {
	uint64_t start, length;
} regions[MOST_REGIONS];
static uint64_t made; /* regions */
static uint64_t heap, heap_end;

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): each bit of @value moves half of the others. */
uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) + 0x9e3779b97f4a7c15ULL;
	hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
	return hash ^ (hash >> 31);
}

uint64_t mix_value(uint64_t hash, uint64_t value)
{
	uint64_t oldest = made > MOST_REGIONS ? made - MOST_REGIONS : 0;

	for (uint64_t i = made; i > oldest; i--) {
		uint64_t offset = value - regions[(i - 1) % MOST_REGIONS].start;

		if (offset < regions[(i - 1) % MOST_REGIONS].length)
			return mix(mix(mix(hash, IN_REGION), i), offset);
	}
	if (value - heap < heap_end - heap)
		return mix(mix(hash, IN_HEAP), value - heap);
	if (value >= LOWEST_ADDRESS && value < (uint64_t)-LOWEST_ADDRESS)
		return mix(hash, ELSEWHERE);
	return mix(mix(hash, NUMBER), value);
}

uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash, (unsigned char)*text);
	return hash;
}

uint64_t mix_text_at(uint64_t hash, pid_t pid, uint64_t address)
{
	char text[PATH_BYTES + 1];

	text_at(pid, address, text, sizeof(text));
	return mix_text(hash, text);
}

/* Which of all names this is, in the order in which they came; those behind the last that there is room for are one. */
static uint64_t place_of_name(uint64_t hash)
{
	static uint64_t known[MOST_NAMES];
	static uint64_t count;
	uint64_t i = 0;

	while (i < count && known[i] != hash)
		i++;
	if (i == count && count < MOST_NAMES)
		known[count++] = hash;
	return i;
}

/* The kind of file system that a name leads to, or its directory; a relative one is taken from the working directory. */
static uint64_t file_system_of(pid_t pid, const char *name)
{
	char path[PATH_BYTES + 64];
	struct statfs info;
	char *slash;

	snprintf(path, sizeof(path), "/proc/%d/%s/%s", pid, *name == '/' ? "root" : "cwd", name);
	if (!statfs(path, &info))
		return (uint64_t)info.f_type;
	slash = strrchr(path, '/');
	*slash = '\0';
	return statfs(path, &info) ? 0 : (uint64_t)info.f_type;
}

uint64_t mix_name(uint64_t hash, pid_t pid, uint64_t address)
{
	char text[PATH_BYTES + 1];
	uint64_t length = text_at(pid, address, text, sizeof(text)), depth = 0;

	for (const char *at = text; *at; at++)
		depth += *at == '/';
	hash = mix(hash, file_system_of(pid, text));
	return mix(mix(mix(hash, length), depth), place_of_name(mix_text(0, text)));
}

size_t part_at(pid_t pid, uint64_t address, uint64_t at, uint64_t size, uint64_t ret[PART_WORDS])
{
	size_t most = PART_WORDS * sizeof(*ret);

	if (at >= size)
		return 0;
	if (at >= MOST_BYTES || steps >= MOST_STEPS) {
		sum_unread = true;
		return 0;
	}
	return bytes_at(pid, address + at, ret, size - at < most ? size - at : most);
}

uint64_t mix_array(uint64_t hash, pid_t pid, uint64_t address, uint64_t count, const struct items *items)
{
	uint64_t each = items->mask ? 1 : 1 + (made < MOST_REGIONS ? made : MOST_REGIONS), words[PART_WORDS];
	size_t got;

	for (uint64_t at = 0; (got = part_at(pid, address, at, count * sizeof(*words), words)); at += got) {
		steps += each * got / sizeof(*words) / items->stride;
		for (size_t i = items->from; i < got / sizeof(*words); i += items->stride)
			hash = items->mask ? mix(hash, words[i] & items->mask) : mix_value(hash, words[i]);
	}
	return hash;
}

uint64_t mix_words(uint64_t hash, pid_t pid, uint64_t address, uint64_t count)
{
	static const struct items words = { .stride = 1 };

	return mix_array(hash, pid, address, count, &words);
}

uint64_t mix_bytes(uint64_t hash, pid_t pid, uint64_t address, uint64_t count)
{
	uint64_t words[PART_WORDS];
	size_t got;

	for (uint64_t at = 0; (got = part_at(pid, address, at, count, words)); at += got) {
		steps += got;
		for (size_t i = 0; i < got; i++)
			hash = mix(hash, ((unsigned char *)words)[i]);
	}
	return hash;
}

void sum_succeeded(uint64_t number, const uint64_t *args, uint64_t returned)
{
	if (number == __NR_mmap || number == __NR_mremap) {
		regions[made % MOST_REGIONS].start = returned;
		regions[made++ % MOST_REGIONS].length = args[number == __NR_mmap ? 1 : 2];
	} else if (number == __NR_brk) {
		heap = heap ? heap : returned;
		heap_end = returned;
	} else if (number == __NR_execve || number == __NR_execveat) {
		made = heap = heap_end = 0;
	}
}
