/* SPDX-License-Identifier: GPL-2.0-only */
/* Translation blocks as they were executed, and what was seen at their ends. */
#ifndef KASSAY_BLOCK_H
#define KASSAY_BLOCK_H

#include "code.h"
#include "counter.h"
#include "qemu_api.h"
#include "roles.h"

#define MAX_CPUS 64

/* Why a block must be looked at each time it begins. */
enum attention {
	ATTEND_FRESH = 1,        /* not counted yet in this round */
	ATTEND_FAULT = 2,        /* enters an exception */
	ATTEND_INTERRUPT = 4,    /* enters an interrupt */
	ATTEND_SUCCESSOR = 8,    /* where it leads to must be seen */
	ATTEND_SWITCH = 16,      /* begins the kernel's task switch */
	ATTEND_THUNK_CALL = 32,  /* leads to a thunk */
	ATTEND_HALT = 64,
	ATTEND_DEFER = 128,      /* of a function that queues or runs deferred work */
};

/* What happened at a block's end or in its middle: a stop, an unknown stop, an iteration, a successor, a load, a store. */
struct event {
	struct event *next; /* of the same block */
	char kind;
	uint32_t place;       /* stop: instructions executed */
	struct block *target; /* successor */
	struct counter counter;
};

struct access;

struct block { /* what is needed each time it begins comes first */
	uint64_t start;
	uint64_t inner; /* end - start - 1: beginnings of other blocks inside are below this from start + 1 */
	uint32_t attention;
	uint32_t count; /* of instructions */
	struct counter counter;
	uint64_t end;
	uint64_t last; /* address of the last instruction */
	uint64_t target;
	uint64_t function;
	struct block *chain; /* in the table */
	struct event *events;
	struct event *iterations; /* of a block that is one repeated string instruction */
	enum ending ending;
	bool thunk; /* is part of one */
	bool entry; /* enters the kernel: an exception, an interrupt, a system call's function; known with calls alone */
	bool nameless; /* user code whose calls are not followed: all of it is one place of the call tree */
	bool zone;  /* of a function that takes the lock of a zone of memory */
	unsigned int roles; /* of its function, for deferred work (roles.h) */
	const uint8_t *lengths;
	const uint8_t *code;
	uint32_t traced;         /* its number in the trace; NO_ID until it is defined there */
	uint32_t successor;      /* in the trace, last time */
	bool moves_pages;        /* known of traced blocks */
	struct access *accesses; /* of its instructions; NULL without a trace */
};

/* Whether the block is one repeated string instruction, which begins again for each iteration. */
static inline bool block_repeats(const struct block *block)
{
	return block->iterations;
}

/* Whether the block ends with a return from the kernel, or from one exception to another. */
static inline bool block_returns(const struct block *block)
{
	return block->ending == END_EXCEPTION_RETURN || block->ending == END_SYSCALL_RETURN;
}

/*
 * Whether a fault can come in behind the last instruction, when the next block is fetched. The kernel's own code is always
 * there: if it faults and goes on elsewhere, that is where its fixup is, which may be where its last jump would have led.
 */
static inline bool block_may_fault_behind(const struct block *block)
{
	return code_is_user(block->start) || block->ending == END_PLAIN;
}

/* The block that was translated; the same one for the same code at the same place. @stacks: calls and returns matter. */
struct block *block_of(const struct arch *arch, const struct qemu_plugin_tb *tb, bool stacks);

/* The event of this kind, made when it is seen first. */
struct event *block_event(struct block *block, char kind, uint32_t place, struct block *target);

/* How many instructions lie before @address, which is the beginning of one in the block; 0 when none begins there. */
uint32_t block_index(const struct block *block, uint64_t address);

/* Whether control goes to @address after all of the block was executed. */
bool block_leads_to(const struct block *block, uint64_t address);

/* All blocks must be looked at again when they are counted next: a round begins. */
void blocks_refresh(void);

/* Puts a block into this round. */
void block_touch(struct block *block);

#endif
