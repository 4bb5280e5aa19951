/* SPDX-License-Identifier: GPL-2.0-only */
/* What a simulation is given on stdin (docs/explained/pcp-model.md). */
#ifndef KASSAY_PCP_CONFIG_H
#define KASSAY_PCP_CONFIG_H

#include <stddef.h>
#include <stdint.h>

struct run_config {
#define RUN(name, low, high, meaning) uint64_t name;
#include "params.def"
#undef RUN
};

struct zone_config {
#define ZONE(name, low, high, meaning) uint64_t name;
#include "params.def"
#undef ZONE
};

struct group_config {
#define GROUP(name, low, high, meaning) uint64_t name;
#include "params.def"
#undef GROUP
};

/* Blocks of one list of a PCP at the begin, and its high. */
struct pcp_state {
	uint64_t cpu, zone, blocks, high, order, type;
};

#define MOST_ZONES 16
#define MOST_GROUPS 64

struct config {
	struct run_config run;
	struct zone_config zones[MOST_ZONES];
	struct group_config groups[MOST_GROUPS];
	struct pcp_state *pcps;
	unsigned int zone_count, group_count, pcp_count;
	char policy[64];
};

extern struct config config;

/* Reads stdin; ends the program with status 2 and the line where it is wrong. */
void config_read(void);

/* "MESSAGE" to stderr, and the end with @status: 2 wrong input, 3 no memory, 4 a defect. */
void stop(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* Zeroed memory; there is always some. */
void *allocate(size_t count, size_t size);

/* The same memory, grown; what is new is not zeroed. */
void *reallocate(void *memory, size_t count, size_t size);

#endif
