// SPDX-License-Identifier: GPL-2.0-only
/* The workload's own words as JSON, in the shape of kassay.model.workload.Workload. */
#include <inttypes.h>
#include <stdio.h>

#include "run.h"

static void put_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void put_member(const char *key, const char *text)
{
	printf("\"%s\":", key);
	put_string(text);
	putchar(',');
}

/* A list of texts that ends with NULL. */
static void put_list(const char *key, const char *const *texts)
{
	printf("\"%s\":[", key);
	for (size_t i = 0; texts[i]; i++) {
		if (i)
			putchar(',');
		put_string(texts[i]);
	}
	putchar(']');
}

static void put_conflict(const struct conflict *conflict)
{
	putchar('{');
	put_member("why", conflict->why);
	put_list("terms", conflict->terms);
	putchar('}');
}

static void put_param(const struct param *param)
{
	static const char *const kinds[] = {
		[PARAM_SIZE] = "size",
		[PARAM_COUNT] = "count",
		[PARAM_CHOICE] = "choice",
	};

	putchar('{');
	put_member("name", param->name);
	put_member("kind", kinds[param->kind]);
	put_member("unit", param->unit);
	put_member("default", param->value);
	put_member("summary", param->summary);
	if (param->kind != PARAM_CHOICE)
		printf("\"minimum\":%" PRIu64 ",\"maximum\":%" PRIu64 ",", param->minimum, param->maximum);
	put_list("choices", param->choices);
	putchar('}');
}

static void put_phase(const struct phase *phase)
{
	putchar('{');
	put_member("name", phase->name);
	put_member("operation", phase->operation);
	put_member("definition", phase->definition);
	printf("\"primary\":%s}", phase->primary ? "true" : "false");
}

int describe(const struct workload *described)
{
	putchar('{');
	put_member("describe", "kassay-workload/1");
	put_member("name", described->name);
	put_member("summary", described->summary);
	put_member("subject", described->subject);
	put_member("state", described->state);
	put_member("group", described->group ? described->group : "others");
	put_member("alters", described->alters ? described->alters : "");
	put_list("modules", described->modules);
	printf(",\"nodes\":%u,\"conflicts\":[", described->nodes ? described->nodes : 1);
	for (size_t i = 0; described->conflicts[i].why; i++) {
		if (i)
			putchar(',');
		put_conflict(&described->conflicts[i]);
	}
	printf("],\"parameters\":[");
	for (size_t i = 0; described->params[i].name; i++) {
		if (i)
			putchar(',');
		put_param(&described->params[i]);
	}
	printf("],\"phases\":[");
	for (size_t i = 0; described->phases[i].name; i++) {
		if (i)
			putchar(',');
		put_phase(&described->phases[i]);
	}
	printf("]}\n");
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}
