/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/zram0 as a swap area, for init and for workloads. */
#ifndef KASSAY_ZRAM_DEVICE_H
#define KASSAY_ZRAM_DEVICE_H

#include <stdint.h>

/* As zram_swapon() of zram.h; returns NULL, or a sentence about what went wrong. */
const char *zram_device_on(uint64_t size);

/* Undoes what zram_device_on() did, and nothing else. */
void zram_device_off(void);

#endif
