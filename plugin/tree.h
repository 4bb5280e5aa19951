/* SPDX-License-Identifier: GPL-2.0-only */
/* The call tree: for each path of calls, the instructions that ran at its end. */
#ifndef KASSAY_TREE_H
#define KASSAY_TREE_H

#include "block.h"

#define MAX_LEVELS 192

/* One path of calls. */
struct node {
	struct node *parent;
	struct node *child; /* the one found last comes first */
	struct node *sibling;
	uint64_t address; /* of the function; 0 for a root */
	struct counter counter;
	bool entry; /* into the kernel: a fault, an interrupt, the function of a system call */
	struct counter entered; /* how often, of these alone */
};

struct level {
	struct node *node;
	uint64_t back; /* where a return leads; 0: only an exception's end leaves this level */
};

/* One task's calls, the outermost first. levels[0] is a function whose callers are not known. */
struct tree_stack {
	unsigned int depth;      /* index of the innermost level */
	unsigned int user_depth; /* of the level that called the kernel */
	struct level levels[MAX_LEVELS];
};

struct tree_place {
	unsigned int depth;
	unsigned int user_depth;
};

/* Roots are one for each context. */
void tree_reset(struct tree_stack *stack, enum context root);

/* After @before comes @block; brings the stack up to date. */
void tree_step(struct tree_stack *stack, const struct block *before, const struct block *block, unsigned int slot);

/* An exception or interrupt is entered at @block; an interrupt hangs below the root of its own. */
struct tree_place tree_enter(struct tree_stack *stack, const struct block *block, bool interrupt);

/* The innermost level was entered at @block: counted, where that is an entry into the kernel. */
void tree_count_entry(struct tree_stack *stack, const struct block *block, unsigned int slot);

/*
 * Deferred work begins in the function of @block: what is called from it hangs below @node, which is charged, and not below
 * the callers of the function.
 */
struct tree_place tree_defer(struct tree_stack *stack, struct node *node, const struct block *block);

/* For whose sake the innermost level runs: the outermost entry into the kernel that it lies in, or its root. */
struct node *tree_cause(const struct tree_stack *stack);

/* Back to where it came in. */
void tree_leave(struct tree_stack *stack, struct tree_place place);

/* @count instructions more for the innermost level. Returns where they were counted. */
static inline struct node *tree_count(struct tree_stack *stack, unsigned int slot, uint64_t count)
{
	struct node *node = stack->levels[stack->depth].node;

	counter_add(&node->counter, slot, count);
	return node;
}

/* Whether code of another function than the innermost level's begins. */
static inline bool tree_turns(const struct tree_stack *stack, const struct block *block)
{
	return block->function && block->function != stack->levels[stack->depth].node->address;
}

/*
 * The kernel goes back to user code, or a fault came in as it did. A new task begins in the kernel; what it does later
 * on, as user code, is not done for its start.
 */
void tree_to_user(struct tree_stack *stack);

/* Calls that were too deep to be kept. */
uint64_t tree_lost(void);

#endif
