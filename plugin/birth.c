// SPDX-License-Identifier: GPL-2.0-only
#include "birth.h"

#define SAVED_BYTES 104 /* of arm64; x86_64 saves the stack pointer alone, and other fields of the same task follow it */
#define MAX_BIRTHS 8192 /* of some dozen addresses for each new task; the oldest go, as their memory may serve twice */

static uint64_t births[MAX_BIRTHS];
static unsigned int count;

bool birth_is_of(uint64_t address, uint64_t written)
{
	return address && written - address < SAVED_BYTES;
}

void birth_note(uint64_t address)
{
	births[count++ % MAX_BIRTHS] = address;
}

bool birth_take(uint64_t address)
{
	bool found = false;

	for (unsigned int i = 0; i < MAX_BIRTHS; i++) {
		if (birth_is_of(address, births[i])) {
			births[i] = 0;
			found = true;
		}
	}
	return found;
}
