// SPDX-License-Identifier: GPL-2.0-only
/* System calls and page faults. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pair.h"

#define PAGE 4096

static inline long call3(long number, long a, long b, long c)
{
	register long third __asm__("rdx") = c;

	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "r"(third) : "rcx", "r11", "memory");
	return number;
}

/* Fewer operations of more pages: the kernel executes thousands of instructions for each. */
static void few(struct work *w, long operations)
{
	w->lap = operations;
	w->measured = operations;
}

static void prepare_calls(struct work *w)
{
	w->size = 64 * PAGE;
	w->memory = pages_of(w->size);
	few(w, 300);
}

static void prepare_pages(struct work *w)
{
	prepare_calls(w);
	few(w, 100 / (1 + w->a / 4));
}

static void prepare_zero(struct work *w)
{
	prepare_calls(w);
	w->file = open("/dev/zero", O_RDONLY);
	if (w->file < 0)
		exit(3);
}

/* A shared mapping of memory, all of it present in the file. */
static void prepare_shared(struct work *w)
{
	size_t i;

	w->size = 64 * PAGE;
	w->memory = mmap(NULL, w->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->memory == MAP_FAILED)
		exit(3);
	for (i = 0; i < w->size; i += PAGE)
		w->memory[i] = 1;
	few(w, 100 / (1 + w->a / 4));
}

static inline void additions(long n)
{
	__asm__ volatile("1: .rept 8; add $1, %%rax; .endr; dec %0; jnz 1b" : "+r"(n) :: "rax", "cc");
}

/* a calls in an operation, and b times eight additions. */
static void run_getppid(struct work *w, long n)
{
	long i;

	while (n-- > 0) {
		for (i = 0; i < w->a; i++)
			call3(SYS_getppid, 0, 0, 0);
		if (w->b)
			additions(w->b);
	}
}

static void run_read_zero(struct work *w, long n)
{
	while (n-- > 0)
		call3(SYS_read, w->file, (long)w->memory, w->a);
}

/* a present pages, read-only and back. */
static void run_mprotect(struct work *w, long n)
{
	while (n-- > 0) {
		call3(SYS_mprotect, (long)w->memory, w->a * PAGE, PROT_READ);
		call3(SYS_mprotect, (long)w->memory, w->a * PAGE, PROT_READ | PROT_WRITE);
	}
}

/* The same, and every page is written: it has to be walked to again. */
static void run_mprotect_write(struct work *w, long n)
{
	long i;

	while (n-- > 0) {
		call3(SYS_mprotect, (long)w->memory, w->a * PAGE, PROT_READ);
		call3(SYS_mprotect, (long)w->memory, w->a * PAGE, PROT_READ | PROT_WRITE);
		for (i = 0; i < w->a; i++)
			*(volatile char *)(w->memory + i * PAGE) = 1;
	}
}

/* a pages are given back; b of them are written again. */
static void run_fault(struct work *w, long n)
{
	long i;

	while (n-- > 0) {
		call3(SYS_madvise, (long)w->memory, w->a * PAGE, MADV_DONTNEED);
		for (i = 0; i < w->b; i++)
			*(volatile char *)(w->memory + i * PAGE) = 1;
	}
}

static void run_map(struct work *w, long n)
{
	long i;

	while (n-- > 0) {
		char *made = mmap(NULL, w->a * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (i = 0; i < w->b; i++)
			*(volatile char *)(made + i * PAGE) = 1;
		munmap(made, w->a * PAGE);
	}
}

static void run_clock(struct work *w, long n)
{
	while (n-- > 0)
		call3(SYS_clock_gettime, 1, (long)w->memory, 0);
}

static void run_yield(struct work *w, long n)
{
	(void)w;
	while (n-- > 0)
		call3(SYS_sched_yield, 0, 0, 0);
}

static void run_bad_close(struct work *w, long n)
{
	(void)w;
	while (n-- > 0)
		call3(SYS_close, -1, 0, 0);
}

const struct side system_sides[] = {
	{ .name = "getppid", .run = run_getppid, .prepare = prepare_calls },
	{ .name = "read_zero", .run = run_read_zero, .prepare = prepare_zero },
	{ .name = "mprotect", .run = run_mprotect, .prepare = prepare_pages },
	{ .name = "mprotect_write", .run = run_mprotect_write, .prepare = prepare_pages },
	{ .name = "fault", .run = run_fault, .prepare = prepare_pages },
	{ .name = "fault_shared", .run = run_fault, .prepare = prepare_shared },
	{ .name = "map", .run = run_map, .prepare = prepare_pages },
	{ .name = "clock", .run = run_clock, .prepare = prepare_calls },
	{ .name = "yield", .run = run_yield, .prepare = prepare_calls },
	{ .name = "bad_close", .run = run_bad_close, .prepare = prepare_calls },
	{ 0 },
};
