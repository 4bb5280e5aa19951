/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets QEMU see no time of the host.
 *
 * QEMU's table of translated addresses shrinks if few of its entries were used
 * within 100 ms of the host's time (tlb_mmu_resize_locked() in its accel/tcg).
 * An address that is no longer in the table is walked again, and the walk sets
 * the accessed bit. The kernel clears this bit without a flush, as reclaim and
 * /proc/PID/clear_refs do. So the host's speed decided which pages were young,
 * and whether the kernel marks their folios as accessed.
 */
#ifndef KASSAY_HOST_TIME_H
#define KASSAY_HOST_TIME_H

/* To be called before there are CPUs. From then on a thread that asks for the time gets the number of its reads. */
void host_time_hold(void);

#endif
