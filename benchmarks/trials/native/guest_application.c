// SPDX-License-Identifier: GPL-2.0-only
/* An application's description in the guest, "key=value" texts that end with a zero byte. */
#include "harness.h"

#include "application.h"

void trial(const uint8_t *data, size_t size)
{
	struct application application = { 0 };

	trial_file(0, data, size);
	application_read(&application);
}
