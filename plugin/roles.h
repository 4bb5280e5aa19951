/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of deferred work, and what functions of the kernel do for them. */
#ifndef KASSAY_ROLES_H
#define KASSAY_ROLES_H

/* In the order of their contexts (counter.h). */
enum deferred { DEFERRED_WORK, DEFERRED_RCU, DEFERRED_IRQ_WORK, DEFERRED_TIMER, DEFERRED_KINDS };

enum role {
	ROLE_QUEUES = 1,  /* stores to the object that is to be queued */
	ROLE_QUEUED = 2,  /* is called once the object is claimed; of RCU callbacks: begins to queue one */
	ROLE_RUNS = 4,    /* stores to the object that was queued, or reads a timer, then calls its function */
	ROLE_CANCELS = 8, /* stores to an object that is not to run any more */
};

#define ROLE_BITS 4
#define ROLES ((1u << ROLE_BITS) - 1)

/* @roles: of all kinds, those of the first kind in the lowest bits. */
static inline unsigned int roles_of(unsigned int roles, enum deferred kind)
{
	return roles >> ROLE_BITS * kind & ROLES;
}

/* Whether a function has @role for some kind. */
static inline unsigned int roles_have(unsigned int roles, enum role role)
{
	unsigned int found = 0;

	for (enum deferred kind = 0; kind < DEFERRED_KINDS; kind++)
		found |= roles_of(roles, kind) & role;
	return found;
}

#endif
