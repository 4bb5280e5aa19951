// SPDX-License-Identifier: GPL-2.0-only
/* The configuration of the guest's init. */
#include "harness.h"

#include "init.c"

void trial(const uint8_t *data, size_t size)
{
	trial_file(0, data, size);
	read_conf();
}
