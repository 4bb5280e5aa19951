// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define HEAD (1ULL << 15)
#define TAIL (1ULL << 16)

/* Whether the folio goes on behind what of it is mapped. */
static bool has_more(const struct orders *orders)
{
	uint64_t frame = orders->head + orders->length, flags;

	return pread(orders->flags_fd, &flags, sizeof(flags), (off_t)(frame * sizeof(flags))) == sizeof(flags) &&
	       flags & TAIL;
}

void orders_gap(struct orders *orders)
{
	unsigned int order;

	if (!orders->length)
		return;
	order = (unsigned int)__builtin_ctzll(orders->length);
	if (orders->length != 1ULL << order || order >= MAX_ORDERS || has_more(orders))
		orders->partial += orders->length;
	else
		orders->pages[order] += orders->length;
	orders->length = 0;
}

void orders_page(struct orders *orders, uint64_t frame, uint64_t flags)
{
	if (flags & TAIL && orders->length && frame == orders->head + orders->length) {
		orders->length++;
		return;
	}
	orders_gap(orders);
	if (flags & TAIL) {
		orders->partial++;
		return;
	}
	orders->head = frame;
	orders->length = 1;
}

void orders_emit(struct run *run, const struct orders *orders, const char *moment)
{
	char text[64 * (MAX_ORDERS + 1)], name[64];
	int used = snprintf(text, sizeof(text), "partial %" PRIu64 "\n", orders->partial);

	for (unsigned int i = 0; i < MAX_ORDERS; i++) {
		if (orders->pages[i] || i == 0)
			used += snprintf(text + used, sizeof(text) - (size_t)used, "order%u %" PRIu64 "\n", i,
					 orders->pages[i]);
	}
	snprintf(name, sizeof(name), "%s:kassay/folios", moment);
	emit(&run->stream, "file", name, text, (size_t)used);
}
