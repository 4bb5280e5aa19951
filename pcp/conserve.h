/* SPDX-License-Identifier: GPL-2.0-only */
/* No page is lost or doubled: each is in one free block, in one list of one PCP, or owned. */
#ifndef KASSAY_PCP_CONSERVE_H
#define KASSAY_PCP_CONSERVE_H

#include "pcp.h"

/* Tells of each block that tasks or events own; set by who feeds the simulation. */
extern void (*conserve_owned)(void (*tell)(block_t block));

/* Looks at every page; ends the program with status 4 where one is lost or doubled. Returns how many pages there are. */
uint64_t conserve(void);

/* The same, each config.run.check_every acquisitions of a zone lock. */
void conserve_now_and_then(void);

#endif
