/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The point at which a booted, quiet machine is saved, and where each run that
 * is restored from it gets its job and its program.
 */
#ifndef KASSAY_SNAPSHOT_H
#define KASSAY_SNAPSHOT_H

#include <stddef.h>

/*
 * Lets a watchdog stop the machine in two seconds (QEMU runs with -action
 * watchdog=pause), sleeps beyond that, and returns when a restored copy has
 * gone on. Returns 0, or -1 with @why set.
 */
int snapshot_stop(const char **why);

/*
 * What a restored copy was given under @name by fw_cfg, which is not part of
 * the saved state: @size bytes and a zero behind them. NULL with @why set.
 */
void *snapshot_file(const char *name, size_t *size, const char **why);

#endif
