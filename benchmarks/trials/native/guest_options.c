// SPDX-License-Identifier: GPL-2.0-only
/* The command line of a workload's program. The lines of the input are its words. */
#include <string.h>

#include "harness.h"

#include "run.h"

#define MOST_WORDS 64

void trial(const uint8_t *data, size_t size)
{
	static struct run run;
	char *words[MOST_WORDS + 1] = { "page_fault", "run" }, *rest = trial_text(data, size), *word;
	int count = 2;

	memset(&run, 0, sizeof(run));
	while (count < MOST_WORDS && (word = strsep(&rest, "\n")))
		words[count++] = word;
	options_parse(&run, count, words);
}
