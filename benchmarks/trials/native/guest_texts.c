// SPDX-License-Identifier: GPL-2.0-only
/* Texts of the guest's kernel: samples of zoneinfo, a policy with its choices, a number. */
#include "harness.h"

#include "number.h"
#include "samples.c"
#include "tunable.c"

void trial(const uint8_t *data, size_t size)
{
	char *text = trial_text(data, size), *out = trial_malloc(size + 1);
	uint64_t number;

	take(out, text, size);
	parse_number(text, &number);
	text = trial_text(data, size < MAX_TEXT ? size : MAX_TEXT - 1);
	take_chosen(text);
}
