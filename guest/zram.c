// SPDX-License-Identifier: GPL-2.0-only
#include "zram.h"

#include "zram_device.h"

int zram_swapon(struct run *run, uint64_t size)
{
	const char *why = zram_device_on(size);

	return why ? fail(run, "%s", why) : 0;
}

void zram_swapoff(void)
{
	zram_device_off();
}
