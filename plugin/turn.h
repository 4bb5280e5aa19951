/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets no time of the host end a CPU's turn.
 *
 * Under icount the CPUs take turns on one thread. QEMU ends a turn early for
 * memory that waits to be freed (wait_for_readers() in its util/rcu.c, and
 * rr_force_rcu() in accel/tcg): since 10.2 where the wait took some 50 ms of
 * the host's time, in older versions only while a device is removed. With
 * several CPUs that is another order of their turns, so other digits. Such
 * memory waits for the end of the turn instead, as it did before 10.2.
 */
#ifndef KASSAY_TURN_H
#define KASSAY_TURN_H

/* To be called in the thread of the CPUs, once. */
void turns_hold(void);

#endif
