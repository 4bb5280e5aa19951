/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_GENERATE_H
#define KASSAY_PCP_GENERATE_H

/* Runs the configuration's groups to the end that it names. */
void generate(void);

#endif
