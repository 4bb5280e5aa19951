/* SPDX-License-Identifier: GPL-2.0-only */
/* Count and high of every PCP over time, a bounded number of them. */
#ifndef KASSAY_PCP_SAMPLES_H
#define KASSAY_PCP_SAMPLES_H

#include "pcp.h"

void samples_start(void);

/* The sample of cpu->next_sample, which comes to be the next time. */
void sample_take(struct cpu *cpu);

/* Lines "sample NS CPU ZONE COUNT HIGH REFILLED DRAINED", by CPU and zone. */
void samples_print(void);

#endif
