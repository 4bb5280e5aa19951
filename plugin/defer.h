/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deferred work: objects that measured tasks queue, until the kernel calls their functions. An object is known by the
 * address of a field that the function which queues it stores to and the function which runs it looks at: data of a work
 * item, func of an RCU head, the flags of an irq_work and of a timer.
 */
#ifndef KASSAY_DEFER_H
#define KASSAY_DEFER_H

#include "block.h"

struct node;

/* Who queues: whether it is a measured task, or deferred work of one; and the place in the call tree that is charged. */
struct cause {
	bool own;
	struct node *node; /* NULL without a call tree */
};

/* What a CPU has seen of the object that it is about to queue. */
struct queueing {
	uint64_t claimed;     /* by an atomic instruction that set its bit */
	uint64_t first;       /* store of a function that queues an RCU callback */
	unsigned int stores;  /* of such a function */
};

/* A load or store; how: the instruction stores, if it does. */
struct access_seen {
	bool store;
	enum store how;
	unsigned int bytes;
	uint64_t address;
};

/* A function that queues objects of @kind stores. */
void defer_store(struct queueing *queueing, enum deferred kind, struct access_seen seen, struct cause cause);

/* @block, that of a function's beginning, follows on @before, or on what is not known. */
void defer_begin(struct queueing *queueing, const struct block *before, const struct block *block, struct cause cause);

/* The object at @address runs now. Returns whether it was queued by a measured task; then @node is where to charge it. */
bool defer_run(enum deferred kind, uint64_t address, struct node **node);

/* Whether an object of a measured task is queued and does not run yet. */
bool defer_waits(enum deferred kind);

/* The function of an object has returned. */
void defer_end(enum deferred kind);

/* The object at @address is not to run. */
void defer_cancel(enum deferred kind, uint64_t address);

/* Writes a line for each kind that can be followed in this kernel. */
void defer_totals(void);

#endif
