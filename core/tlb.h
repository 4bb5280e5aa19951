/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Translation: two levels of TLB, page-walk caches, and walks whose reads go
 * through the caches. The trace does not have the guest's page tables, so an
 * entry of a table lies at an address that is made from the virtual one.
 */
#ifndef KASSAY_CORE_TLB_H
#define KASSAY_CORE_TLB_H

#include <stdbool.h>
#include <stdint.h>

void tlb_start(void);

/* When the translation of @address (to @physical), asked for in @cycle, is there. */
uint64_t tlb_translate(uint64_t address, uint64_t physical, uint64_t cycle);

/* All translations of the user's half, and the page-walk caches. */
void tlb_flush_user(void);

/* The page of the user that was translated last and is still there: a flush's operand is not in the trace. */
void tlb_flush_page(void);

/* The page of @address. */
void tlb_drop(uint64_t address);

#endif
