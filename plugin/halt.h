/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a CPU halt only while QEMU's main loop sleeps.
 *
 * Under icount the main loop moves guest time to the next timer once all CPUs
 * are halted. It looks at them each time it wakes, also without a reason. When
 * it does so after a CPU was marked as halted and before what this CPU executed
 * last is added to guest time, time goes too far by these instructions
 * (icount_start_warp_timer() in QEMU's accel/tcg). Some runs in a thousand on a
 * busy host then have other digits. So the halt instruction waits until the
 * main loop sleeps in its poll: from there only this very CPU wakes it.
 */
#ifndef KASSAY_HALT_H
#define KASSAY_HALT_H

#include "code.h"
#include "qemu_api.h"

/* To be called in the thread of the main loop, before there are CPUs. */
void halts_watch(void);

/* Makes the last instruction of a block wait when it halts the CPU. Nothing without halts_watch(). */
void halts_hold(const struct arch *arch, struct qemu_plugin_tb *tb);

#endif
