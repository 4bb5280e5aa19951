// SPDX-License-Identifier: GPL-2.0-only
#include "tree.h"

#include <inttypes.h>

#define CALL_OVER_BYTES 16

static struct node *roots[CONTEXTS];
static uint64_t lost;

static void define(struct node *node)
{
	FILE *out = counter_define(&node->counter, 'n');

	if (node->parent)
		fprintf(out, " %" PRIu32 " %" PRIx64 "\n", node->parent->counter.id, node->address);
	else
		fprintf(out, " - 0\n");
}

static struct node *make(struct node *parent, uint64_t address)
{
	struct node *node = allocate(sizeof(*node));

	node->parent = parent;
	node->address = address;
	node->entered.id = NO_ID;
	define(node);
	return node;
}

static struct node *root_of(enum context context)
{
	/* In order, so that the file tells them apart by their place. */
	for (unsigned int i = 0; i < CONTEXTS && !roots[CONTEXTS - 1]; i++)
		roots[i] = make(NULL, 0);
	return roots[context];
}

/* Code without a known function stands for itself where it is called, and for its caller otherwise. */
static uint64_t entry_of(const struct block *block)
{
	return block->function ? block->function : block->start;
}

static struct node *child_of(struct node *parent, const struct block *block)
{
	uint64_t address = entry_of(block);
	struct node **link = &parent->child, *node;

	for (; (node = *link); link = &node->sibling) {
		if (node->address != address)
			continue;
		*link = node->sibling;
		break;
	}
	if (!node)
		node = make(parent, address);
	node->sibling = parent->child;
	parent->child = node;
	node->entry |= block->entry;
	return node;
}

void tree_reset(struct tree_stack *stack, enum context root)
{
	stack->depth = 0;
	stack->user_depth = 0;
	stack->levels[0] = (struct level){ root_of(root), 0 };
}

static void push(struct tree_stack *stack, struct node *parent, const struct block *block, uint64_t back)
{
	if (stack->depth + 1 == MAX_LEVELS) {
		lost++;
		return;
	}
	stack->levels[++stack->depth] = (struct level){ child_of(parent, block), back };
}

/*
 * A return that matches no call goes to a function whose address was put on
 * the stack (a thunk's way to jump): the level it used up is gone.
 */
static void pop(struct tree_stack *stack, uint64_t address)
{
	for (unsigned int i = stack->depth; i > 0 && stack->levels[i].back; i--) {
		if (stack->levels[i].back == address) {
			stack->depth = i - 1;
			return;
		}
	}
	if (stack->depth > 0 && stack->levels[stack->depth].back)
		stack->depth--;
}

/*
 * Another function without a call: a jump to its entry, or its cold part. It stands in the place of the one before; below
 * it, if that is an entry into the kernel, as it says for whom all that follows is done.
 */
static void turn(struct tree_stack *stack, const struct block *block)
{
	struct level *level = &stack->levels[stack->depth];
	struct node *parent = level->node->parent;

	if (!tree_turns(stack, block))
		return;
	level->node = child_of(parent && !level->node->entry ? parent : level->node, block);
}

void tree_count_entry(struct tree_stack *stack, const struct block *block, unsigned int slot)
{
	struct node *node = stack->levels[stack->depth].node;

	if (!block->entry)
		return;
	if (node->entered.id == NO_ID)
		fprintf(counter_define(&node->entered, 'a'), " %" PRIu32 "\n", node->counter.id);
	counter_add(&node->entered, slot, 1);
}

/*
 * A call over a few bytes of its own function that nothing returns from: it only fills the return buffer. Thunks use the
 * stack so too, but return.
 */
static bool calls_nothing(const struct block *before, const struct block *block)
{
	return before->ending == END_CALL && block->start - before->end < CALL_OVER_BYTES && !before->thunk &&
	       block->function && block->function == before->function;
}

static void enter_kernel(struct tree_stack *stack, const struct block *block)
{
	stack->user_depth = stack->depth;
	push(stack, stack->levels[stack->depth].node, block, 0);
}

void tree_to_user(struct tree_stack *stack)
{
	struct level *level = &stack->levels[stack->user_depth];

	stack->depth = stack->user_depth;
	if (stack->depth)
		return;
	for (struct node *node = level->node; node; node = node->parent) {
		if (node->entry)
			level->node = node->parent;
	}
}

/* User code whose calls are not followed: all that is known of its place is whose it is. */
static void to_root(struct tree_stack *stack)
{
	struct node *node = stack->levels[0].node;

	while (node->parent)
		node = node->parent;
	stack->depth = stack->user_depth = 0;
	stack->levels[0].node = node;
}

void tree_step(struct tree_stack *stack, const struct block *before, const struct block *block, unsigned int slot)
{
	bool user = code_is_user(block->start);

	if (code_is_user(before->start) != user && before->end) {
		if (user && block->nameless)
			to_root(stack);
		else if (user)
			tree_to_user(stack);
		else
			enter_kernel(stack, block);
	} else if ((before->ending == END_CALL || before->ending == END_CALL_INDIRECT) && !calls_nothing(before, block)) {
		push(stack, stack->levels[stack->depth].node, block, before->end);
	} else if (before->ending == END_RETURN) {
		pop(stack, block->start);
	}
	turn(stack, block);
	tree_count_entry(stack, block, slot);
}

struct tree_place tree_enter(struct tree_stack *stack, const struct block *block, bool interrupt)
{
	struct tree_place place = { stack->depth, stack->user_depth };

	push(stack, interrupt ? root_of(CONTEXT_INTERRUPT) : stack->levels[stack->depth].node, block, 0);
	return place;
}

struct tree_place tree_defer(struct tree_stack *stack, struct node *node, const struct block *block)
{
	struct tree_place place = { stack->depth, stack->user_depth };

	push(stack, node, block, 0);
	return place;
}

struct node *tree_cause(const struct tree_stack *stack)
{
	struct node *node = stack->levels[stack->depth].node, *cause = NULL;

	for (; node->parent; node = node->parent) {
		if (node->entry)
			cause = node;
	}
	return cause ? cause : node;
}

void tree_leave(struct tree_stack *stack, struct tree_place place)
{
	stack->depth = place.depth;
	stack->user_depth = place.user_depth;
}

uint64_t tree_lost(void)
{
	return lost;
}
