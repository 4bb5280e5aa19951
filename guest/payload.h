/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that stand behind the end of this very program, as src/kassay/supply/guest/payload.py packs them. */
#ifndef KASSAY_PAYLOAD_H
#define KASSAY_PAYLOAD_H

#include "workload.h"

/*
 * Writes "program" to @program, and what is below "files/" to the directory @files. Returns 0 or what fail() returns.
 */
int payload_unpack(struct run *run, const char *program, const char *files);

#endif
