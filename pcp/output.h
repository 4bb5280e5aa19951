/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_OUTPUT_H
#define KASSAY_PCP_OUTPUT_H

/* Everything that was counted, to stdout (docs/explained/pcp-model.md). */
void output(void);

#endif
