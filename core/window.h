/* SPDX-License-Identifier: GPL-2.0-only */
/* Dispatch and retirement in order, and the room between them. */
#ifndef KASSAY_CORE_WINDOW_H
#define KASSAY_CORE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "account.h"

extern struct window {
	uint64_t front;       /* cycle of dispatch, */
	uint32_t dispatched;  /* micro-ops that it has taken */
	uint64_t retired;     /* cycle of retirement, */
	uint32_t retired_ops; /* micro-ops that it has taken */
	/* Why dispatch began anew, and whose doing it was; CAUSE_WIDTH: it did not. */
	enum cause cause;
	uint32_t function;
} window;

void window_start(void);

/* Dispatch goes on in @cycle at the earliest, because of @cause in @function. */
void window_redirect(uint64_t cycle, enum cause cause, uint32_t function);

/*
 * The cycle in which an instruction of @uops micro-ops, some of them loads and stores, is dispatched. @computed: those
 * that are neither, which wait in SCHEDULER.
 */
uint64_t window_dispatch(unsigned int uops, unsigned int computed, unsigned int loads, unsigned int stores);

/* It is done in @done. The cycle in which it is retired, with what was done before it. */
uint64_t window_retire(unsigned int uops, uint64_t done);

/* A load that is retired, a store that is in the cache, in @cycle: their buffers are free. */
void window_load(uint64_t cycle);
void window_store(uint64_t cycle);

#endif
