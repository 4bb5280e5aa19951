// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands above asks for this: parameters, phases, boundaries. In kassay it is the runner, which also captures
 * the state of the whole system before and after; here that of the memory is checked.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

struct run {
	uint64_t numbers[MAX_PARAMS];
	const char *words[MAX_PARAMS];
	uint64_t rounds;
	struct {
		const char *name;
		uint64_t operations;
	} phases[MAX_PHASES];
	size_t phase_count;
	struct script round;
	size_t boundaries;
	bool failed;
	bool complained;
	bool wrong_state;
};

int fail(struct run *run, const char *format, ...)
{
	va_list args;

	run->failed = true;
	va_start(args, format);
	fprintf(stderr, "%s: ", workload.name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return -1;
}

void complain(struct run *run, const char *format, ...)
{
	va_list args;

	run->complained = true;
	va_start(args, format);
	printf("THE WORK WAS NOT DONE: ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

void note(struct run *run, const char *format, ...)
{
	va_list args;

	(void)run;
	va_start(args, format);
	printf("note: ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

void phase_add(struct run *run, const char *name, uint64_t operations)
{
	if (run->phase_count == MAX_PHASES) {
		fail(run, "more than %d phases", MAX_PHASES);
		return;
	}
	run->phases[run->phase_count].name = name;
	run->phases[run->phase_count++].operations = operations;
}

void range_set(struct run *run, const void *start, size_t length)
{
	(void)run;
	audited_start = (uintptr_t)start;
	audited_end = audited_start + length;
}

void range_count_folios(struct run *run)
{
	(void)run;
}

void require_at(struct run *run, const char *moment, const char *field, const char *operator, uint64_t value)
{
	if (requirement_count == MAX_REQUIREMENTS)
		fail(run, "more than %d requirements", MAX_REQUIREMENTS);
	else
		requirements[requirement_count++] = (struct requirement){ moment, field, operator, value };
}

void require_both(struct run *run, const char *field, const char *operator, uint64_t value)
{
	require_at(run, "before", field, operator, value);
	require_at(run, "after", field, operator, value);
}

void worker_add(struct run *run, int pid)
{
	(void)run, (void)pid;
}

/* Ticks are always shared here. */
void rounds_fork(struct run *run)
{
	(void)run;
}

struct script *round_script(struct run *run)
{
	return &run->round;
}

void mark(struct run *run)
{
	script_step(&run->round, (struct step){ .run = step_mark_time, .args = { (uintptr_t)boundary } });
	run->boundaries++;
}

uint64_t run_rounds(const struct run *run)
{
	return run->rounds;
}

static size_t param_index(const char *name, size_t length)
{
	size_t i;

	for (i = 0; workload.params[i].name; i++) {
		if (strlen(workload.params[i].name) == length && !strncmp(workload.params[i].name, name, length))
			break;
	}
	return i;
}

uint64_t param_number(const struct run *run, const char *name)
{
	return run->numbers[param_index(name, strlen(name))];
}

bool param_is(const struct run *run, const char *name, const char *word)
{
	const char *value = run->words[param_index(name, strlen(name))];

	return value && !strcmp(value, word);
}

static bool parse_value(const char *text, enum param_kind kind, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = { { "", 1 }, { "B", 1 }, { "KiB", KIB }, { "MiB", MIB }, { "GiB", GIB } };
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || errno)
		return false;
	for (size_t i = 0; i < (kind == PARAM_SIZE ? sizeof(units) / sizeof(*units) : 1); i++) {
		if (!strcmp(end, units[i].name))
			return !__builtin_mul_overflow(*ret, units[i].bytes, ret);
	}
	return false;
}

/* "name=value", as kassay's --set takes it. */
static int set_param(struct run *run, const char *text)
{
	const char *value = strchr(text, '=');
	size_t i = param_index(text, value ? (size_t)(value - text) : strlen(text));
	const struct param *param = &workload.params[i];

	if (!param->name || !value++)
		return fail(run, "%s: not a parameter", text);
	if (param->kind != PARAM_CHOICE) {
		if (!parse_value(value, param->kind, &run->numbers[i]) || run->numbers[i] < param->minimum ||
		    run->numbers[i] > param->maximum || (param->kind == PARAM_SIZE && run->numbers[i] % (uint64_t)sysconf(_SC_PAGESIZE)))
			return fail(run, "%s: not a value it takes", text);
		return 0;
	}
	for (size_t k = 0; param->choices[k]; k++) {
		if (!strcmp(param->choices[k], value)) {
			run->words[i] = param->choices[k];
			return 0;
		}
	}
	return fail(run, "%s: not a value it takes", text);
}

static int set_all(struct run *run, int argc, char **argv)
{
	for (size_t i = 0; measured[i]; i++) {
		if (set_param(run, measured[i]))
			return -1;
	}
	run->rounds = MEASURED_ROUNDS;
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "rounds=", 7)) {
			if (!parse_value(argv[i] + 7, PARAM_COUNT, &run->rounds) || !run->rounds || run->rounds > 1000000)
				return fail(run, "%s: not 1 .. 1000000", argv[i]);
		} else if (set_param(run, argv[i])) {
			return -1;
		}
	}
	return 0;
}

static void stay_on_first_cpu(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		printf("note: not pinned to CPU 0: %s\n", strerror(errno));
}

/* Ticks are where the architecture's code puts what a boundary returns; boundaries hold more. */
static int measure(struct run *run)
{
	size_t bytes = run->rounds * run->boundaries * sizeof(uint64_t);
	uint64_t *ticks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	const struct step *failed;

	if (ticks == MAP_FAILED || boundaries_prepare(run->rounds * run->boundaries))
		return fail(run, "no memory for %" PRIu64 " rounds", run->rounds);
	if (script_close(run, &run->round))
		return -1;
	run->wrong_state = !state_check("before");
	failed = region_run(run->round.steps, run->rounds, ticks, run->boundaries);
	if (failed)
		return script_failed(run, &run->round, failed);
	run->wrong_state |= !state_check("after");
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const char *unit_of(const char *name)
{
	for (size_t i = 0; workload.phases[i].name; i++) {
		if (!strcmp(workload.phases[i].name, name))
			return workload.phases[i].operation;
	}
	return "operation";
}

/* One line: what is between two boundaries of each round, per operation. */
static void print_cost(const struct run *run, const char *name, size_t first, size_t last, uint64_t operations,
		       double (*between)(const struct boundary *row, size_t first, size_t last), const char *what)
{
	double *cost = calloc(run->rounds, sizeof(*cost));

	if (!cost)
		return;
	for (uint64_t i = 0; i < run->rounds; i++)
		cost[i] = between(boundaries + i * run->boundaries, first, last) / (double)operations;
	qsort(cost, run->rounds, sizeof(*cost), by_value);
	printf("%-12s %12.3f %s per %s  (median of %" PRIu64 " rounds; smallest %.3f, largest %.3f)\n", name,
	       (cost[(run->rounds - 1) / 2] + cost[run->rounds / 2]) / 2, what, unit_of(name), run->rounds, cost[0],
	       cost[run->rounds - 1]);
	free(cost);
}

static void print_phase(const struct run *run, const char *name, size_t first, size_t last, uint64_t operations,
			bool instructions)
{
	print_cost(run, name, first, last, operations, nanoseconds_between, "ns");
	if (instructions)
		print_cost(run, name, first, last, operations, instructions_between, "instructions");
}

static void print_phases(const struct run *run)
{
	size_t first = run->phase_count, last = 0;
	bool instructions = instructions_whole();

	for (size_t i = 0; i < run->phase_count; i++) {
		if (!strcmp(run->phases[i].name, "-"))
			continue;
		print_phase(run, run->phases[i].name, i, i + 1, run->phases[i].operations, instructions);
		first = i < first ? i : first;
		last = i + 1;
	}
	for (size_t i = 0; workload.phases[i].name; i++) {
		if (!strcmp(workload.phases[i].name, "iteration") && first < last)
			print_phase(run, "iteration", first, last, run->phases[first].operations, instructions);
	}
}

int main(int argc, char **argv)
{
	static struct run run;
	struct utsname host;

	if (set_all(&run, argc, argv))
		return 2;
	uname(&host);
	printf("%s on %s %s\nrequired state: %s\n", workload.name, host.release, host.machine, workload.state);
	if (workload.alters)
		printf("it changes this machine while it runs: %s\n", workload.alters);
	stay_on_first_cpu();
	instructions_open();
	if (!workload.setup(&run) && !run.failed && !measure(&run)) {
		workload.verify(&run);
		print_phases(&run);
	}
	workload.teardown(&run);
	return run.failed || run.complained || run.wrong_state;
}
