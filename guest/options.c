// SPDX-License-Identifier: GPL-2.0-only
/* The command line of a run, read strictly: what is not understood is an error, never ignored. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "run.h"

#define MAX_ROUNDS 1000000UL

static bool parse_size(const char *text, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = { { "", 1 }, { "B", 1 }, { "KiB", KIB }, { "MiB", MIB }, { "GiB", GIB } };
	const char *unit = parse_digits(text, ret);

	for (size_t i = 0; unit && i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name))
			return !__builtin_mul_overflow(*ret, units[i].bytes, ret) && *ret % page_bytes() == 0;
	}
	return false;
}

static bool parse_choice(const struct param *param, const char *text, const char **ret)
{
	for (size_t i = 0; param->choices[i]; i++) {
		if (!strcmp(text, param->choices[i])) {
			*ret = param->choices[i];
			return true;
		}
	}
	return false;
}

static bool parse_setting(struct setting *setting, const char *text)
{
	const struct param *param = setting->param;

	switch (param->kind) {
	case PARAM_CHOICE:
		return parse_choice(param, text, &setting->word);
	case PARAM_SIZE:
		if (!parse_size(text, &setting->number))
			return false;
		break;
	case PARAM_COUNT:
		if (!parse_number(text, &setting->number))
			return false;
		break;
	}
	return setting->number >= param->minimum && setting->number <= param->maximum;
}

static int set_param(struct run *run, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);

	for (size_t i = 0; i < MAX_PARAMS && run->settings[i].param; i++) {
		const char *name = run->settings[i].param->name;

		if (strlen(name) != length || strncmp(name, text, length))
			continue;
		if (!equals || !parse_setting(&run->settings[i], equals + 1))
			return fail(run, "parameter %.100s: not a value that %s takes; see --describe", text, name);
		return 0;
	}
	return fail(run, "unknown parameter %.100s; see --describe", text);
}

static int set_count(struct run *run, uint64_t *ret, const char *option, const char *text, uint64_t maximum)
{
	if (!parse_number(text, ret) || *ret > maximum)
		return fail(run, "%s %.100s: not a whole number from 0 to %" PRIu64, option, text, maximum);
	return 0;
}

static int add_path(struct run *run, const char **paths, size_t *count, const char *path)
{
	if (*count == MAX_CAPTURED)
		return fail(run, "more than %d files to capture", MAX_CAPTURED);
	paths[(*count)++] = path;
	return 0;
}

static int set_option(struct run *run, const char *option, const char *value)
{
	if (!strcmp(option, "--rounds"))
		return set_count(run, &run->rounds, option, value, MAX_ROUNDS);
	if (!strcmp(option, "--stack-bytes"))
		return set_count(run, &run->stack_bytes, option, value, MIB);
	if (!strcmp(option, "--mmap-pages"))
		return set_count(run, &run->mmap_pages, option, value, MIB);
	if (!strcmp(option, "--capture"))
		return add_path(run, run->captured, &run->captured_count, value);
	if (!strcmp(option, "--counters"))
		return add_path(run, run->counters, &run->counters_count, value);
	if (!strcmp(option, "--sampled")) {
		run->sampled = value;
		return 0;
	}
	if (!strcmp(option, "--clock") && !strcmp(value, "tsc"))
		run->clock = CLOCK_TICKS;
	else if (!strcmp(option, "--clock") && !strcmp(value, "monotonic"))
		run->clock = CLOCK_RAW;
	else if (!strcmp(option, "--clock"))
		return fail(run, "--clock %.100s: write tsc or monotonic", value);
	else if (strcmp(option, "--out"))
		return fail(run, "unknown option %.100s", option);
	return 0;
}

/* Where the error goes must be known before the first one is found. */
static void find_out(struct run *run, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--out"))
			run->out = argv[i + 1];
	}
}

int options_parse(struct run *run, int argc, char **argv)
{
	find_out(run, argc, argv);
	for (size_t i = 0; workload.params[i].name; i++) {
		run->settings[i].param = &workload.params[i];
		if (!parse_setting(&run->settings[i], workload.params[i].value))
			return fail(run, "the default of %s is not valid", workload.params[i].name);
	}
	for (int i = 2; i < argc; i++) {
		int status;

		if (!strcmp(argv[i], "--")) {
			run->words = &argv[i + 1];
			run->word_count = argc - i - 1;
			break;
		}
		if (!strcmp(argv[i], "--skip-work")) {
			run->skip_work = true;
			continue;
		}
		if (strncmp(argv[i], "--", 2))
			status = set_param(run, argv[i]);
		else if (i + 1 == argc)
			status = fail(run, "option %.100s: a value is missing", argv[i]);
		else
			status = set_option(run, argv[i], argv[i + 1]), i++;
		if (status)
			return status;
	}
	return run->rounds ? 0 : fail(run, "--rounds: at least 1 round is needed");
}

static const struct setting *find_setting(const struct run *run, const char *name)
{
	for (size_t i = 0; i < MAX_PARAMS && run->settings[i].param; i++) {
		if (!strcmp(run->settings[i].param->name, name))
			return &run->settings[i];
	}
	fprintf(stderr, "%s: asks for parameter %s, which it does not declare\n", workload.name, name);
	abort();
}

uint64_t param_number(const struct run *run, const char *name)
{
	return find_setting(run, name)->number;
}

bool param_is(const struct run *run, const char *name, const char *word)
{
	const char *value = find_setting(run, name)->word;

	return value && !strcmp(value, word);
}

uint64_t run_rounds(const struct run *run)
{
	return run->rounds;
}
