// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fourteen counters of "A Concurrency Cost Hierarchy" (T. Downs, 2020), written anew from its description: how one
 * thread adds to a counter, from a plain addition to a lock with a queue. Nobody ever waits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "loops.h"

#define READ(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define ACQUIRE(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define RELEASE(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELEASE)

/* The path that waits is never taken: it only has to exist. */
static __attribute__((noipa, cold)) void wait_for(volatile void *what)
{
	__asm__ volatile("" :: "r"(what) : "memory");
	__builtin_trap();
}

/* A function of its own, as in another file: nothing is known of it where it is called. */
#define CALLED __attribute__((noipa))

/* In the order, and of the sizes, that a C library has them. */
struct mutex {
	int lock;
	unsigned int count;
	int owner;
	unsigned int users;
	int kind;
	int spare[5];
};

static __thread int task = 77;
static int elision;

static CALLED int mutex_take(struct mutex *m)
{
	int kind = READ(m->kind), expected = 0, frame[4];

	if (kind & 0x7c)
		wait_for(m);
	__asm__ volatile("" :: "r"(frame) : "memory");
	if ((kind & 0x17f) || READ(elision))
		wait_for(m);
	if (!__atomic_compare_exchange_n(&m->lock, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		wait_for(m);
	if (READ(m->owner))
		wait_for(m);
	WRITE(m->owner, READ(task));
	WRITE(m->users, READ(m->users) + 1);
	return 0;
}

static CALLED int mutex_put(struct mutex *m, int users)
{
	int kind = READ(m->kind);

	if (kind & 0x7c)
		wait_for(m);
	if ((kind & 0x17f) || READ(elision))
		wait_for(m);
	WRITE(m->owner, 0);
	if (users)
		WRITE(m->users, READ(m->users) - 1);
	if (__atomic_sub_fetch(&m->lock, 1, __ATOMIC_RELEASE))
		wait_for(m);
	return 0;
}

static CALLED int mutex_release(struct mutex *m)
{
	return mutex_put(m, 1);
}

/* A program calls its C library through a table of addresses. */
static int (*volatile lock_slot)(struct mutex *) = mutex_take;
static int (*volatile unlock_slot)(struct mutex *) = mutex_release;

static CALLED int mutex_lock(struct mutex *m)
{
	return lock_slot(m);
}

static CALLED int mutex_unlock(struct mutex *m)
{
	return unlock_slot(m);
}

struct spin {
	bool taken;
};

static CALLED void spin_lock(struct spin *l)
{
	do {
		while (READ(l->taken))
			;
	} while (__atomic_exchange_n(&l->taken, true, __ATOMIC_ACQUIRE));
}

static CALLED void pause_lock(struct spin *l)
{
	do {
		while (READ(l->taken))
#ifdef __x86_64__
			__asm__ volatile("pause");
#else
			__asm__ volatile("yield");
#endif
	} while (__atomic_exchange_n(&l->taken, true, __ATOMIC_ACQUIRE));
}

static CALLED void yield_lock(struct spin *l)
{
	do {
		while (READ(l->taken))
			wait_for(l);
	} while (__atomic_exchange_n(&l->taken, true, __ATOMIC_ACQUIRE));
}

static CALLED void spin_unlock(struct spin *l)
{
	RELEASE(l->taken, false);
}

struct tickets {
	size_t next, served;
	struct mutex mutex;
};

static inline void ticket_lock(struct tickets *l)
{
	size_t mine = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

	while (mine != ACQUIRE(l->served))
		;
}

static inline void ticket_wait(struct tickets *l)
{
	size_t mine = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

	while (mine != ACQUIRE(l->served))
		wait_for(l);
}

static inline void ticket_unlock(struct tickets *l)
{
	RELEASE(l->served, ACQUIRE(l->served) + 1);
}

static CALLED void blocking_lock(struct tickets *l)
{
	size_t mine = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

	if (mine != ACQUIRE(l->served))
		wait_for(l);
}

static CALLED void blocking_unlock(struct tickets *l)
{
	size_t served;

	mutex_lock(&l->mutex);
	served = READ(l->served) + 1;
	RELEASE(l->served, served);
	if (served < READ(l->next))
		wait_for(l);
	mutex_unlock(&l->mutex);
}

struct queue {
	struct mutex mutex;
	void *first, *last;
	bool taken;
};

static CALLED void queue_lock(struct queue *l)
{
	mutex_lock(&l->mutex);
	if (READ(l->taken))
		wait_for(l);
	WRITE(l->taken, true);
	mutex_unlock(&l->mutex);
}

static CALLED void queue_unlock(struct queue *l)
{
	mutex_lock(&l->mutex);
	if (READ(l->first) != READ(l->last))
		wait_for(l);
	WRITE(l->taken, false);
	mutex_unlock(&l->mutex);
}

/* "Futexes Are Tricky" (U. Drepper): 0 free, 1 taken, 2 taken and waited for. */
static CALLED void three_lock(int *l)
{
	int expected = 0;

	if (!__atomic_compare_exchange_n(l, &expected, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		wait_for(l);
}

static CALLED void three_unlock(int *l)
{
	if (__atomic_sub_fetch(l, 1, __ATOMIC_SEQ_CST))
		wait_for(l);
}

static __thread uint64_t of_thread;
static __thread bool known = true;

static CALLED void thread_add(void)
{
	if (!READ(known))
		wait_for(&known);
	WRITE(of_thread, READ(of_thread) + 1);
}

/* Each has lines of its own. */
#define APART __attribute__((aligned(128)))
static APART uint64_t plain, atomic, swapped, many[8][16];
static APART struct mutex mutex;
static APART struct spin spin;
static APART struct tickets tickets;
static APART struct queue queue;
static APART int three;
static APART uint64_t counter;
static __thread size_t chosen;

static inline void swap_add(uint64_t *p)
{
	uint64_t now = READ(*p);

	while (!__atomic_compare_exchange_n(p, &now, now + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

#define COUNTED WRITE(counter, READ(counter) + 1)

#define LOOPS(X)									\
	X(plain_add, WRITE(plain, READ(plain) + 1))					\
	X(thread_add, thread_add())							\
	X(atomic_add, __atomic_fetch_add(&atomic, 1, __ATOMIC_RELAXED))			\
	X(cas_add, swap_add(&swapped))							\
	X(cas_multi, swap_add(many[READ(chosen)]))					\
	X(mutex_add, mutex_lock(&mutex); COUNTED; mutex_unlock(&mutex))			\
	X(pure_spin, spin_lock(&spin); COUNTED; spin_unlock(&spin))			\
	X(pause_spin, pause_lock(&spin); COUNTED; spin_unlock(&spin))			\
	X(yield_spin, yield_lock(&spin); COUNTED; spin_unlock(&spin))			\
	X(ticket_spin, ticket_lock(&tickets); COUNTED; ticket_unlock(&tickets))		\
	X(ticket_yield, ticket_wait(&tickets); COUNTED; ticket_unlock(&tickets))	\
	X(ticket_blocking, blocking_lock(&tickets); COUNTED; blocking_unlock(&tickets))	\
	X(queued_fifo, queue_lock(&queue); COUNTED; queue_unlock(&queue))		\
	X(mutex3, three_lock(&three); COUNTED; three_unlock(&three))

LOOPS(RUN)

const struct loop counter_loops[] = { LOOPS(ENTRY) { 0 } };

const struct loop *const loop_groups[] = { counter_loops, instruction_loops, NULL };
