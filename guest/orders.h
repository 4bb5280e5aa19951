/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts mapped pages by the order of their folios, from the flags in /proc/kpageflags: a head, then its tails. */
#ifndef KASSAY_ORDERS_H
#define KASSAY_ORDERS_H

#include "run.h"

#define MAX_ORDERS 20

struct orders {
	int flags_fd; /* of /proc/kpageflags */
	uint64_t head; /* frame of the folio that is being counted */
	uint64_t length; /* its pages so far; 0: none is being counted */
	uint64_t pages[MAX_ORDERS]; /* in folios that are mapped whole and in order */
	uint64_t partial; /* in folios of which only a part is, or in another order */
};

/* The next page of the range: its frame and flags. */
void orders_page(struct orders *orders, uint64_t frame, uint64_t flags);

/* A page of the range that is not present; also for the end of the range. */
void orders_gap(struct orders *orders);

/* Sends the counts as the file kassay/folios. */
void orders_emit(struct run *run, const struct orders *orders, const char *moment);

#endif
