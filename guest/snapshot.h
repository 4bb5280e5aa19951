/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The point at which a booted, quiet machine is saved, and where each run that
 * is restored from it learns what to do.
 */
#ifndef KASSAY_SNAPSHOT_H
#define KASSAY_SNAPSHOT_H

#include <stddef.h>

/*
 * Stops the machine at one exact instruction by a write to the pvpanic port
 * (QEMU runs with -action panic=pause), and returns when a restored copy goes
 * on. Then @text is that copy's job, from fw_cfg, which is not part of the
 * saved state. Returns 0, or -1 with @why set.
 */
int snapshot_take_job(char *text, size_t size, const char **why);

#endif
