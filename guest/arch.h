/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a CPU architecture provides. All of it stands in arch/<name>.c, which the build finds by the name that kassay
 * has for the architecture; to add one, write that file.
 *
 * Everything that is executed between the first and the last boundary of a run is assembly in that file, put together
 * at run time as a list of steps: no compiler and no C library decides how many instructions a measurement takes.
 */
#ifndef KASSAY_ARCH_H
#define KASSAY_ARCH_H

#include <stddef.h>
#include <stdint.h>

/*
 * One step. The C side fills it in (script.h says what each kind needs), the assembly reads it at these offsets.
 * start: where the first argument stands, not the argument itself, which may be known only after an earlier step.
 * tolerated: an errno value that counts as success. error: written when the step fails.
 */
struct step {
	void (*run)(void); /* one of the step_ functions below */
	uint64_t *start;
	uint64_t number;
	uint64_t args[5];
	uint64_t tolerated;
	uint64_t error;
	const char *what; /* for the error's sentence */
	uint64_t reserved;
};

#define STEP_BYTES 96
#define STEP_START 8
#define STEP_NUMBER 16
#define STEP_ARG0 24
#define STEP_ARG1 32
#define STEP_ARG2 40
#define STEP_ARG3 48
#define STEP_ARG4 56
#define STEP_TOLERATED 64
#define STEP_ERROR 72

_Static_assert(sizeof(struct step) == STEP_BYTES && offsetof(struct step, start) == STEP_START &&
		       offsetof(struct step, number) == STEP_NUMBER && offsetof(struct step, args) == STEP_ARG0 &&
		       offsetof(struct step, tolerated) == STEP_TOLERATED && offsetof(struct step, error) == STEP_ERROR,
	       "the assembly reads a step at these offsets");

/* Shared by the tasks of a team, also between processes, so it holds no pointers. */
struct board {
	uint32_t turn; /* counts up with each part of the work; workers wait for it to change */
	uint32_t part; /* which script the workers run in this turn */
	uint32_t busy; /* workers that are not done yet */
	uint32_t error; /* errno of a worker that failed */
};

#define BOARD_PART 4
#define BOARD_BUSY 8
#define BOARD_ERROR 12
#define PART_STOP UINT32_MAX

/* The kinds of steps. They follow no calling convention: only a script runs them. */
void step_mark(void);      /* a boundary, by the CPU's tick counter */
void step_mark_time(void); /* a boundary, by the function args[0] */
void step_call(void);      /* a system call: number, *start, args */
void step_map(void);       /* mmap() where the kernel likes: args are length ... offset; the address goes to *start */
void step_write(void);     /* memory_write(*start, args[0], args[1], args[2]) */
void step_count(void);     /* *args[3] += memory_count(*start, args[0], args[1], args[2]) */
void step_touch(void);     /* memory_touch(start, args[0], args[2]) */
void counted_loop(void);   /* *start += args[0] (not 0) by a loop of 3 instructions: count up, count down, jump */
void step_calls(void);     /* *start += the system calls "number", without arguments, that succeed of args[0] */
void step_add(void);       /* *start += args[0] */
void step_release(void);   /* board start: lets args[0] workers do part args[1] */
void step_wait(void);      /* board start: until no worker is busy; fails with the error of one */
void step_fork(void);      /* clone() by "number" with flags args[0]; the child's id goes to *start (see below) */
void step_reap(void);      /* wait4() by "number" for the child *start; fails with the error of its script */
void step_spin(void);      /* until *start is the number at the address args[0]; for tasks that must not sleep */
void step_repeat(void);    /* executes the steps before it, args[1] bytes of them, args[0] times in all; counts in args[2] */
void step_end(void);       /* the last step: the next round, or the end */

/*
 * The child of step_fork executes the steps from args[1] on, which must be closed, and exits with 0 or the error of the
 * step that failed; it exits at once when args[1] is 0. children.h puts these steps together.
 */

/*
 * A kind of step that executes @count (at most ARCH_MAX_IDLE) instructions more than a step without effect. Rounds
 * were once C code; with such steps a phase on x86_64 executes as many instructions as gcc 12 had made of it, so that
 * figures of that time can be compared with those of today.
 */
void (*arch_idle(unsigned int count))(void);
#define ARCH_MAX_IDLE 64

/*
 * Runs the steps from @first until step_end, @rounds times, as the measured region: announces @boundaries, which a
 * round has, to a counting emulator; the boundaries' ticks go to @ticks. Returns the step that failed, or NULL.
 */
struct step *region_run(struct step *first, uint64_t rounds, uint64_t *ticks, uint64_t boundaries);

/* Runs the steps once, outside a region. Returns the step that failed, or NULL. */
struct step *script_run(struct step *first, uint64_t *ticks);

/* A worker's life: reports itself done, waits for a turn, runs the script of that part; until PART_STOP. */
void team_work(struct board *board, struct step *const *parts);

/* Lets @workers do @part, as step_release does. */
void team_release(struct board *board, uint64_t workers, uint64_t part);

/* Writes @stamp to the first word of each page; counts the pages where it stands. */
void memory_write(char *start, size_t length, uint64_t stamp, size_t page_bytes);
uint64_t memory_count(const char *start, size_t length, uint64_t stamp, size_t page_bytes);

/* Writes one byte to each page of the mapping whose address stands in @start. */
void memory_touch(char *const *start, size_t length, size_t page_bytes);

/* Where a program starts that image.h makes: executes the steps at IMAGE_ADDRESS, and exits as a child does. */
void image_enter(void);

#define IMAGE_ADDRESS 0x40000000 /* far from the program, and from what the kernel maps where it likes */

/* Tells a counting emulator that a workload has started. */
void region_announce(void);

/* Ticks in a second of the counter that step_mark reads, or 0 when the CPU does not say. */
uint64_t arch_tick_rate(void);

/* All code that scripts execute lies between these. */
extern const char measured_begin[], measured_end[];

/* The ports of a PC, for the snapshot (snapshot.c). arch_ports_open() returns -1 where there are none. */
int arch_ports_open(void);
void arch_port_write(uint16_t port, uint32_t value, size_t bytes);

#endif
