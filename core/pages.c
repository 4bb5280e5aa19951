// SPDX-License-Identifier: GPL-2.0-only
#include "pages.h"

#include <stdbool.h>
#include <stdlib.h>

#include "text.h"

struct slot {
	uint64_t page; /* and one */
	uint64_t frame;
};

struct recent_page pages_recent[PAGES_RECENT];

static struct slot *slots;
static uint64_t room, used; /* room: a power of two */

static struct slot *slot_of(uint64_t page)
{
	uint64_t at = page * UINT64_C(0x9e3779b97f4a7c15) >> 20;

	for (;; at++) {
		struct slot *slot = &slots[at & (room - 1)];

		if (!slot->page || slot->page == page + 1)
			return slot;
	}
}

static void grow(void)
{
	struct slot *old = slots;
	uint64_t count = room;

	room = room ? 2 * room : 4096;
	slots = allocate(room, sizeof(*slots));
	for (uint64_t n = 0; n < count; n++)
		if (old[n].page)
			*slot_of(old[n].page - 1) = old[n];
	free(old);
}

void pages_put(uint64_t page, uint64_t frame)
{
	struct slot *slot;

	if (2 * used >= room)
		grow();
	slot = slot_of(page);
	if (!slot->page)
		used++;
	*slot = (struct slot){ page + 1, frame };
	pages_recent[page % PAGES_RECENT] = (struct recent_page){ page + 1, frame };
}

uint64_t pages_find(uint64_t page)
{
	const struct slot *slot = room ? slot_of(page) : NULL;
	uint64_t frame = slot && slot->page ? slot->frame : page;

	pages_recent[page % PAGES_RECENT] = (struct recent_page){ page + 1, frame };
	return frame;
}
