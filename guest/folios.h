/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private anonymous memory in folios of one order, mapped by an entry for each base page: what a workload's parameter
 * "order" asks for. Order 0: base pages. The order of a huge page: huge pages whose mapping a move to an address in
 * the middle of one has split. Between them: the kernel's own sizes ("mTHP", since 6.8), all others switched off.
 */
#ifndef KASSAY_FOLIOS_H
#define KASSAY_FOLIOS_H

#include "script.h"

struct folios {
	uint64_t start;
	size_t size;
	unsigned int order;
	uint64_t detour; /* where a range of huge pages is moved to, and back from, to split its mapping */
};

/* The parameter "order" of a workload, to stand among its params. */
#define FOLIOS_ORDER \
	{ "order", PARAM_CHOICE, "order", "0", \
	  "base pages of a folio as a power of two; 2 to 8 need a kernel that has sizes of huge pages to choose from (6.8), whose " \
	  "policies are changed while it runs", 0, 0, \
	  { "0", "2", "3", "4", "5", "6", "7", "8", "9" } }

/* The parameter "size" of such a workload. */
#define FOLIOS_SIZE(value) \
	{ "size", PARAM_SIZE, "bytes", value, \
	  "length of the mapping, a multiple of the page size, of a huge page with order=9, else of the folio", MIN_PAGE_BYTES, \
	  16 * GIB, { 0 } }

/* For setup(): address space, and a kernel that makes such folios. Returns 0 or what fail() returns. */
int folios_prepare(struct run *run, struct folios *folios);

/* For setup(): the range is made for the first time, and khugepaged has looked at it. Returns 0 or what fail() returns. */
int folios_start(struct run *run, const struct folios *folios, uint64_t stamp);

/*
 * Steps that map the range anew; and that split the mapping of huge pages when it is filled, and tell khugepaged to
 * leave it so.
 */
void folios_map(struct script *script, const struct folios *folios);
void folios_split(struct script *script, const struct folios *folios);

/* The steps of both, and between them one that writes @stamp to each page: afterwards the range is as required. */
void folios_make(struct script *script, const struct folios *folios, uint64_t stamp);

/* Puts the range under audit, and requires at both moments: this order alone, present, no huge page mapped as one. */
void folios_require(struct run *run, const struct folios *folios);

/* For teardown(): the range and what folios_prepare() changed in the kernel are gone. */
void folios_release(struct folios *folios);

#endif
