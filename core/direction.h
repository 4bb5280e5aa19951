/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a conditional branch is taken. */
#ifndef KASSAY_CORE_DIRECTION_H
#define KASSAY_CORE_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

void direction_start(void);

/* What was guessed of the branch at @address, which learns that it was @taken. */
bool direction_guess(uint64_t address, bool taken);

#endif
