// SPDX-License-Identifier: GPL-2.0-only
/* The PARAMS file: lines "name value", each name of params.def once. */
#include "params.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "text.h"

enum kind { COUNT = 1, TIME = 100 };

static const struct name {
	const char *name;
	enum kind kind;
	uint64_t low, high;
} names[] = {
#define PARAM(kind, name, low, high, meaning) { #name, kind, low, high },
#include "params.def"
#undef PARAM
};

#define NAMES (sizeof(names) / sizeof(*names))

struct params params;

static uint32_t *field(unsigned int index)
{
	return (uint32_t *)&params + index;
}

static unsigned int find(const struct text *text, const char *word)
{
	for (unsigned int i = 0; i < NAMES; i++)
		if (!strcmp(names[i].name, word))
			return i;
	text_wrong(text, "unknown parameter %s", word);
}

void params_read(const char *path)
{
	struct text text = text_open(path);
	bool seen[NAMES] = { false };

	while (text_line(&text)) {
		unsigned int i = find(&text, text_word(&text));
		const struct name *name = &names[i];
		uint64_t value = text_decimal(&text, name->kind);

		if (seen[i])
			text_wrong(&text, "%s is given twice", name->name);
		if (value < name->low * name->kind || value > name->high * name->kind)
			text_wrong(&text, "%s is not from %" PRIu64 " to %" PRIu64, name->name, name->low, name->high);
		seen[i] = true;
		*field(i) = (uint32_t)value;
	}
	for (unsigned int i = 0; i < NAMES; i++)
		if (!seen[i])
			text_wrong(&text, "%s is not given", names[i].name);
	text_close(&text);
}
