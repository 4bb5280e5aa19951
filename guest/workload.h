/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contract between the runner and a workload. A workload is one file,
 * workloads/<name>.c, that defines `const struct workload workload`; it
 * becomes one static binary. Nothing else has to be changed to add one.
 */
#ifndef KASSAY_WORKLOAD_H
#define KASSAY_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIB (1UL << 10)
#define MIB (1UL << 20)
#define GIB (1UL << 30)

#define MIN_PAGE_BYTES (4 * KIB) /* of all architectures */

#define MAX_PARAMS 8
#define MAX_CHOICES 16
#define MAX_PHASES 8
#define MAX_MODULES_NEEDED 4
#define MAX_CONFLICTS 4
#define MAX_TERMS 4

struct run;
struct script;

/* A size is in bytes and a multiple of the kernel's base page; a count is a whole number. */
enum param_kind { PARAM_SIZE, PARAM_COUNT, PARAM_CHOICE };

/* One parameter; minimum and maximum are inclusive and unused for choices. */
struct param {
	const char *name;
	enum param_kind kind;
	const char *unit;
	const char *value; /* the default, as a user would write it */
	const char *summary;
	uint64_t minimum;
	uint64_t maximum;
	const char *choices[MAX_CHOICES + 1];
};

/*
 * One measured interval. The name "iteration" is special: when declared, the
 * runner computes it, from the first to the last boundary of the reported
 * phases of a round, which must then be adjacent and of equal operations.
 */
struct phase {
	const char *name;
	const char *operation;
	const char *definition;
	bool primary;
};

/*
 * Settings that cannot be measured together: refused before anything is booted. All terms hold: "NAME=VALUE" or
 * "NAME!=VALUE" of a choice, or an option of the machine's state, such as "--memcg".
 */
struct conflict {
	const char *terms[MAX_TERMS + 1];
	const char *why; /* the end of a sentence */
};

/*
 * The functions return 0, or what fail() returns. setup() also puts together the
 * script of one repetition, a round: steps, and boundaries between them by mark(),
 * exactly one more than phases: at its start, and at the end of each phase.
 * verify() calls complain() unless the work was really done; it runs after the
 * state was captured. All three must be there.
 */
struct workload {
	const char *name;
	const char *summary;
	const char *subject; /* starts a verdict sentence; {param} is replaced */
	const char *state;   /* the required state, in words */
	const char *group;   /* what it is listed under: "page tables" ... (kassay.model.workload); NULL: "others" */
	const char *alters;  /* what of the whole machine it changes while it runs, and undoes; NULL: nothing */
	const char *modules[MAX_MODULES_NEEDED + 1]; /* of the kernel, loaded before a run; "_" for "-" */
	unsigned int nodes;  /* of memory that it needs; 0: one is enough */
	struct conflict conflicts[MAX_CONFLICTS + 1];
	struct param params[MAX_PARAMS + 1];
	struct phase phases[MAX_PHASES + 1];
	int (*setup)(struct run *run);
	void (*verify)(struct run *run);
	void (*teardown)(struct run *run);
};

extern const struct workload workload;

/* For setup(): the settings of this run. */
uint64_t param_number(const struct run *run, const char *name);
bool param_is(const struct run *run, const char *name, const char *word);
uint64_t run_rounds(const struct run *run);

/*
 * For setup(): the phases of this setting in the order of their boundaries.
 * "-" is time between two boundaries that is not reported.
 */
void phase_add(struct run *run, const char *name, uint64_t operations);

/* For setup(): the memory that the audit looks at. */
void range_set(struct run *run, const void *start, size_t length);

/* For setup(): the audit also counts the range's pages by the order of their folios (fields folios.order<N>). */
void range_count_folios(struct run *run);

/* For setup(): what the host must find in the audit. operator: == != <= >=. */
void require_at(struct run *run, const char *moment, const char *field, const char *operator, uint64_t value);
void require_both(struct run *run, const char *field, const char *operator, uint64_t value);

/* For setup(): another process that works for this run, not a foreign one. */
void worker_add(struct run *run, int pid);

/* For setup(): rounds fork children, whose ticks the run must see. */
void rounds_fork(struct run *run);

/* For setup() and verify(): a sentence for the reader of the report. */
void note(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the run with an error; returns -1 to be handed on. */
int fail(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For verify(): what was not done; the first complaint counts. */
void complain(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For setup(): the steps of a round. mark() adds a boundary to them. */
struct script *round_script(struct run *run);
void mark(struct run *run);

#endif
