// SPDX-License-Identifier: GPL-2.0-only
/* Two CPUs: a line that goes from one to the other, and interrupts from one to the other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"

#define PRIVATE_EXPEDITED 8
#define REGISTER_PRIVATE_EXPEDITED 16

static struct {
	_Atomic uint64_t turn __attribute__((aligned(LINE)));
	_Atomic int answering __attribute__((aligned(LINE)));
	pthread_t thread;
	char *page;
} other;

static int cpu_number(int number)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && number-- == 0)
			return cpu;
	return -1;
}

static int stay_on(int cpu)
{
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	return sched_setaffinity(0, sizeof(only), &only);
}

static void *answer(void *cpu)
{
	if (stay_on((int)(intptr_t)cpu))
		return NULL;
	atomic_store(&other.answering, 1);
	for (;;) {
		uint64_t turn = atomic_load_explicit(&other.turn, memory_order_acquire);

		if (turn & 1)
			atomic_store_explicit(&other.turn, turn + 1, memory_order_release);
	}
	return NULL;
}

static const char *prepare(uint64_t argument)
{
	int first, second;

	(void)argument;
	if (atomic_load(&other.answering))
		return NULL;
	first = cpu_number(0);
	second = cpu_number(1);
	if (second < 0)
		return "only one CPU is allowed to this process";
	if (pthread_create(&other.thread, NULL, answer, (void *)(intptr_t)second) || stay_on(first))
		return "no second thread on a CPU of its own";
	while (!atomic_load(&other.answering))
		sched_yield();
	return NULL;
}

/* An operation: there and back. */
static uint64_t transfer(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		uint64_t turn = atomic_load_explicit(&other.turn, memory_order_relaxed);

		atomic_store_explicit(&other.turn, turn + 1, memory_order_release);
		while (atomic_load_explicit(&other.turn, memory_order_acquire) == turn + 1)
			;
	}
	return operations;
}

static const char *prepare_barrier(uint64_t argument)
{
	if (syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0))
		return "no membarrier() in this kernel";
	return prepare(argument);
}

/* An interrupt to the other CPU, which this one waits for. */
static uint64_t barrier(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++)
		sink += (uint64_t)syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0);
	return operations;
}

static const char *prepare_page(uint64_t with_other)
{
	if (!other.page) {
		other.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (other.page == MAP_FAILED)
			return "no memory";
	}
	return with_other ? prepare(0) : NULL;
}

/* One page made read-only, and back, and written: with a thread on another CPU a flush there. */
static uint64_t flush(uint64_t operations)
{
	for (uint64_t i = 0; i < operations; i++) {
		*(volatile char *)other.page = 1;
		mprotect(other.page, PAGE, PROT_READ);
		mprotect(other.page, PAGE, PROT_READ | PROT_WRITE);
	}
	return operations;
}

const struct probe cross_probes[] = {
	{ "cross_flush", prepare_page, NULL, flush, 20, NULL },
	{ "cross_transfer", prepare, NULL, transfer, 200, NULL },
	{ "cross_interrupt", prepare_barrier, NULL, barrier, 20, NULL },
	{ 0 },
};
