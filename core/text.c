// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		fprintf(stderr, "core: no memory for %zu times %zu bytes\n", count, size);
		exit(3);
	}
	return memory;
}

void text_wrong(const struct text *text, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%lu: ", text->path, text->line);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

struct text text_open(const char *path)
{
	struct text text = { .path = path };
	FILE *file = fopen(path, "rb");
	size_t room = 1 << 16, got;

	if (!file)
		text_wrong(&text, "%s", strerror(errno));
	text.bytes = allocate(room, 1);
	while ((got = fread(text.bytes + text.size, 1, room - text.size - 1, file)) > 0) {
		text.size += got;
		if (text.size + 1 < room)
			continue;
		room *= 2;
		text.bytes = realloc(text.bytes, room);
		if (!text.bytes)
			text_wrong(&text, "no memory for %zu bytes", room);
	}
	if (ferror(file))
		text_wrong(&text, "it cannot be read");
	fclose(file);
	text.bytes[text.size] = 0;
	text.next = text.bytes;
	return text;
}

void text_close(struct text *text)
{
	free(text->bytes);
}

bool text_line(struct text *text)
{
	while (*text->next) {
		char *end = strchr(text->next, '\n');

		text->word = text->next;
		text->line++;
		if (end)
			*end = 0;
		text->next = end ? end + 1 : text->next + strlen(text->next);
		if (*text->word)
			return true;
	}
	return false;
}

char *text_word(struct text *text)
{
	char *word = text->word;

	while (*word == ' ')
		word++;
	text->word = word;
	while (*text->word && *text->word != ' ')
		text->word++;
	if (text->word == word)
		text_wrong(text, "the line is too short");
	if (*text->word)
		*text->word++ = 0;
	return word;
}

uint64_t text_number(struct text *text, uint64_t low, uint64_t high)
{
	const char *word = text_word(text);
	uint64_t value = 0;

	for (const char *digit = word; *digit; digit++) {
		if (*digit < '0' || *digit > '9' || value > (UINT64_MAX - 9) / 10)
			text_wrong(text, "%s is not a number", word);
		value = value * 10 + (uint64_t)(*digit - '0');
	}
	if (value < low || value > high)
		text_wrong(text, "%s is not from %" PRIu64 " to %" PRIu64, word, low, high);
	return value;
}

uint64_t text_decimal(struct text *text, unsigned int unit)
{
	char *word = text_word(text), *point = strchr(word, '.');
	uint64_t value = 0;
	unsigned int scale = 1;

	for (const char *digit = word; *digit; digit++) {
		if (digit == point)
			continue;
		if (*digit < '0' || *digit > '9' || value > UINT64_MAX / 10000)
			text_wrong(text, "%s is not a number", word);
		value = value * 10 + (uint64_t)(*digit - '0');
		if (point && digit > point)
			scale *= 10;
		if (scale > unit)
			text_wrong(text, "%s has more decimals than %s", word, unit == 1 ? "a whole number" : "two");
	}
	return value * unit / scale;
}
