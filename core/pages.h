/* SPDX-License-Identifier: GPL-2.0-only */
/* Which frame each virtual page has now. */
#ifndef KASSAY_CORE_PAGES_H
#define KASSAY_CORE_PAGES_H

#include <stdint.h>

#include "address.h"

#define PAGES_RECENT 256

/* The last ones that were asked for, each in one place. */
extern struct recent_page {
	uint64_t page; /* and one */
	uint64_t frame;
} pages_recent[PAGES_RECENT];

void pages_put(uint64_t page, uint64_t frame);

/* Its frame; itself when it is not known. */
uint64_t pages_find(uint64_t page);

/* Where the byte at a virtual address is in physical memory now; itself when its page is not known. */
static inline uint64_t pages_physical(uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT;
	const struct recent_page *recent = &pages_recent[page % PAGES_RECENT];
	uint64_t frame = recent->page == page + 1 ? recent->frame : pages_find(page);

	return frame << PAGE_SHIFT | (address & ((1u << PAGE_SHIFT) - 1));
}

#endif
