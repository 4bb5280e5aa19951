// SPDX-License-Identifier: GPL-2.0-only
#include "defer.h"

#include <inttypes.h>

#include "counter.h"
#include "points.h"

#define BUCKETS 4096

/* An object that a measured task has queued and that has not run. */
struct object {
	struct object *next; /* in its bucket, or among those that are free */
	uint64_t address;
	enum deferred kind;
	struct node *node;
};

static struct object *buckets[BUCKETS], *unused;

static struct {
	uint64_t queued;
	uint64_t ended;
	uint64_t outstanding; /* queued and not run, or running */
	uint64_t waiting;     /* queued and not run */
} totals[DEFERRED_KINDS];

/* The link that leads to the object, or the last one of its bucket. */
static struct object **find(enum deferred kind, uint64_t address)
{
	struct object **link = &buckets[(address * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];

	while (*link && ((*link)->address != address || (*link)->kind != kind))
		link = &(*link)->next;
	return link;
}

static void add(struct object **link, enum deferred kind, uint64_t address)
{
	struct object *object = unused;

	if (object)
		unused = object->next;
	else
		object = allocate(sizeof(*object));
	*object = (struct object){ .address = address, .kind = kind };
	*link = object;
	totals[kind].queued++;
	totals[kind].waiting++;
	totals[kind].outstanding++;
}

static void drop(struct object **link)
{
	struct object *object = *link;

	totals[object->kind].waiting--;
	*link = object->next;
	object->next = unused;
	unused = object;
}

/* The object is queued: whoever does it last is its cause. */
static void queue(enum deferred kind, uint64_t address, struct cause cause)
{
	struct object **link = find(kind, address);

	if (!cause.own) {
		defer_cancel(kind, address);
		return;
	}
	if (!*link)
		add(link, kind, address);
	(*link)->node = cause.node;
}

/* An RCU callback's function and its next pointer, in either order or at once, are the first that is stored. */
static void store_rcu_head(struct queueing *queueing, unsigned int bytes, uint64_t address, struct cause cause)
{
	uint64_t first = queueing->first;

	if (!queueing->stores++) {
		queueing->first = address;
		if (bytes == 2 * sizeof(uint64_t))
			queue(DEFERRED_RCU, address + sizeof(uint64_t), cause);
	} else if (queueing->stores == 2 && (first + sizeof(uint64_t) == address || address + sizeof(uint64_t) == first))
		queue(DEFERRED_RCU, first > address ? first : address, cause);
}

/*
 * A work item and an irq_work are claimed by an atomic instruction, which fails when somebody else has queued the object:
 * so they are queued only when what comes next is called. Of what is stored for a timer only its flags have 4 bytes.
 */
void defer_store(struct queueing *queueing, enum deferred kind, struct access_seen seen, struct cause cause)
{
	switch (kind) {
	case DEFERRED_RCU:
		store_rcu_head(queueing, seen.bytes, seen.address, cause);
		break;
	case DEFERRED_TIMER:
		if (seen.how == STORE_PLAIN && seen.bytes == sizeof(uint32_t))
			queue(kind, seen.address, cause);
		break;
	default:
		if (seen.how == STORE_ATOMIC)
			queueing->claimed = seen.address;
	}
}

void defer_begin(struct queueing *queueing, const struct block *before, const struct block *block, struct cause cause)
{
	for (enum deferred kind = 0; kind < DEFERRED_KINDS; kind++) {
		if (!(roles_of(block->roles, kind) & ROLE_QUEUED))
			continue;
		if (kind == DEFERRED_RCU) {
			queueing->stores = 0;
		} else if (before && queueing->claimed && roles_of(before->roles, kind) & ROLE_QUEUES) {
			queue(kind, queueing->claimed, cause);
			queueing->claimed = 0;
		}
	}
}

bool defer_run(enum deferred kind, uint64_t address, struct node **node)
{
	/* Of a timer's flags one byte may be read. */
	uint64_t field = kind == DEFERRED_TIMER ? address & ~(uint64_t)(sizeof(uint32_t) - 1) : address;
	struct object **link = find(kind, field);

	if (!*link)
		return false;
	*node = (*link)->node;
	drop(link);
	return true;
}

bool defer_waits(enum deferred kind)
{
	return totals[kind].waiting;
}

void defer_end(enum deferred kind)
{
	totals[kind].ended++;
	totals[kind].outstanding--;
}

void defer_cancel(enum deferred kind, uint64_t address)
{
	struct object **link = find(kind, address);

	if (!*link)
		return;
	drop(link);
	totals[kind].outstanding--;
}

void defer_totals(void)
{
	static const char *const names[] = { "work", "rcu", "irq_work", "timer" };

	for (enum deferred kind = 0; kind < DEFERRED_KINDS; kind++) {
		if (points_have(POINT_DEFER(kind, ROLE_QUEUES)) && points_have(POINT_DEFER(kind, ROLE_RUNS)))
			counters_line("d %s %" PRIu64 " %" PRIu64 " %" PRIu64, names[kind], totals[kind].queued,
				      totals[kind].ended, totals[kind].outstanding);
	}
}
