/* SPDX-License-Identifier: GPL-2.0-only */
/* A compressed RAM disk as the only swap area. */
#ifndef KASSAY_ZRAM_H
#define KASSAY_ZRAM_H

#include "workload.h"

/*
 * Sets /dev/zram0 to @size bytes, writes a swap header and turns it on.
 * Refuses a device that is in use: it may be the swap of a running host.
 */
int zram_swapon(struct run *run, uint64_t size);

/* Undoes what zram_swapon() did, and nothing else. */
void zram_swapoff(void);

#endif
