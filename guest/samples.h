/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of the kernel read after each round, between the round's last boundary and the next round's first. */
#ifndef KASSAY_SAMPLES_H
#define KASSAY_SAMPLES_H

#include "run.h"

/*
 * Adds the steps behind the last mark of the round, where run->sampled names a file, and the memory that they read
 * to. The steps allocate nothing: the file is open, and the memory present. Returns 0, or what fail() returns.
 */
int samples_prepare(struct run *run);

/* Ships the lines of each sample that the lists of pages are in, with the tick of the round's end. */
void samples_emit(struct run *run);

#endif
