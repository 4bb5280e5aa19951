/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of a cache line and of a page, as bits of an address. */
#ifndef KASSAY_CORE_ADDRESS_H
#define KASSAY_CORE_ADDRESS_H

#define LINE_SHIFT 6
#define PAGE_SHIFT 12

#endif
