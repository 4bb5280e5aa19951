// SPDX-License-Identifier: GPL-2.0-only
/* Numbers are put into a hash table with open addresses, and looked up again. */
#include <stdint.h>
#include <stdio.h>

#define SLOTS (1 << 17)
#define KEYS 60000

static uint64_t keys[SLOTS];
static uint32_t counts[SLOTS];

static uint32_t slot_of(uint64_t key)
{
	uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15 >> 47);

	while (keys[slot] && keys[slot] != key)
		slot = (slot + 1) % SLOTS;
	return slot;
}

int main(void)
{
	uint64_t state = 88172645463325252, found = 0;

	for (int round = 0; round < 4; round++) {
		state = 88172645463325252;
		for (int i = 0; i < KEYS; i++) {
			uint32_t slot;

			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			slot = slot_of(state);
			keys[slot] = state;
			found += counts[slot]++;
		}
	}
	printf("found=%lu\n", (unsigned long)found);
	return 0;
}
