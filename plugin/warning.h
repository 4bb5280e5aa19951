/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_WARNING_H
#define KASSAY_WARNING_H

#include <stdio.h>

/* Says why the digits of a run may depend on the host. The run's record keeps it (supply/machines/_qemu.py). */
static inline void warn_of_host(const char *why)
{
	fprintf(stderr, "kassay-profile: warning: %s: digits may depend on the host\n", why);
}

#endif
