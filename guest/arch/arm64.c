// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: movz xzr, #0x4b<letter>, an instruction without effect that is found nowhere else. Their letters are those
 * of arch/x86_64.c. The tick counter is the virtual counter.
 *
 * While a script runs: x19 the step, x20 where the next tick goes, x21 rounds left, x22 the first step, x23 where the
 * script is left. A step returns to the next one; to leave, it returns to x23 instead.
 */
#include "arch.h"

#if defined(__aarch64__)

#define TEXT(macro) #macro
#define OFFSET(macro) TEXT(macro)

#define FUNCTION(name) ".globl " #name "\n\t.type " #name ", %function\n" #name ":\n\t"
#define LOCAL(name) #name ":\n\t"
#define END(name) "\n\t.size " #name ", . - " #name "\n"
#define MARK(letter) "movz xzr, #0x4b" #letter "\n\t"

#define STEP(field) "[x19, #" OFFSET(STEP_##field) "]"

#define SAVE \
	"stp x29, x30, [sp, #-80]!\n\tstp x19, x20, [sp, #16]\n\tstp x21, x22, [sp, #32]\n\t" \
	"stp x23, x24, [sp, #48]\n\tstp x25, x26, [sp, #64]\n\t"
#define RESTORE \
	"ldp x25, x26, [sp, #64]\n\tldp x23, x24, [sp, #48]\n\tldp x21, x22, [sp, #32]\n\t" \
	"ldp x19, x20, [sp, #16]\n\tldp x29, x30, [sp], #80\n\t"
#define RUN_STEPS "ldr x9, [x19]\n\tblr x9\n\tadd x19, x19, #" OFFSET(STEP_BYTES) "\n\tb "
#define CALL(function) "str x30, [sp, #-16]!\n\tbl " function "\n\tldr x30, [sp], #16\n\t"
#define LEAVE "mov x30, x23\n\tret\n\t"

/* The call with the arguments behind the first; an error ends in .Lfailed. */
#define CALL_KERNEL \
	"ldp x1, x2, " STEP(ARG0) "\n\t" \
	"ldp x3, x4, " STEP(ARG2) "\n\t" \
	"ldr x5, " STEP(ARG4) "\n\t" \
	"svc #0\n\t" \
	"cmn x0, #4095\n\t" \
	"b.hs .Lfailed\n\t"

#define NR_EXIT_GROUP "94"
#define NR_FUTEX "98"
#define ECHILD_NUMBER "10" /* stands for a child that was killed */
#define FUTEX_WAKE_ALL "mov x1, #1\n\tmov w2, #0x7fffffff\n\tmov x3, #0\n\tmov x8, #" NR_FUTEX "\n\tsvc #0\n\t"
#define FUTEX_WAIT_VALUE "mov x1, #0\n\tmov x3, #0\n\tmov x8, #" NR_FUTEX "\n\tsvc #0\n\t"

__asm__("\t.pushsection .text.measured, \"ax\", %progbits\n"
	"\t.balign 64\n"
	"\t.globl measured_begin\n"
	"measured_begin:\n\t"

	FUNCTION(region_run)
	SAVE
	"mov x22, x0\n\t"
	"mov x21, x1\n\t"
	"mov x20, x2\n\t"
	"mov x19, x0\n\t"
	"adr x23, 3f\n"
	"1:\t" MARK(4e)
	"subs x3, x3, #1\n\t"
	"b.ne 1b\n\t"
	MARK(42)
	"2:\t" RUN_STEPS "2b\n"
	"3:\t" MARK(45)
	"mov x0, x19\n\t"
	RESTORE
	"ret"
	END(region_run)

	FUNCTION(script_run)
	SAVE
	"mov x22, x0\n\t"
	"mov x21, #1\n\t"
	"mov x20, x1\n\t"
	"mov x19, x0\n\t"
	"adr x23, 2f\n"
	"1:\t" RUN_STEPS "1b\n"
	"2:\tmov x0, x19\n\t"
	RESTORE
	"ret"
	END(script_run)

	/* x24 the board, x25 the scripts, w26 the turn */
	FUNCTION(team_work)
	SAVE
	"mov x24, x0\n\t"
	"mov x25, x1\n\t"
	"mov w26, #0\n\t"
	"adr x23, 6f\n"
	"1:\tadd x0, x24, #" OFFSET(BOARD_BUSY) "\n"
	"2:\tldaxr w9, [x0]\n\t"
	"sub w9, w9, #1\n\t"
	"stlxr w10, w9, [x0]\n\t"
	"cbnz w10, 2b\n\t"
	"cbnz w9, 3f\n\t"
	FUTEX_WAKE_ALL
	"3:\tldar w9, [x24]\n\t"
	"cmp w9, w26\n\t"
	"b.ne 4f\n\t"
	"mov x0, x24\n\t"
	"mov w2, w26\n\t"
	FUTEX_WAIT_VALUE
	"b 3b\n"
	"4:\tldr w9, [x24, #" OFFSET(BOARD_PART) "]\n\t"
	"cmn w9, #1\n\t"
	"b.eq 8f\n\t"
	MARK(57)
	"ldr x22, [x25, x9, lsl #3]\n\t"
	"mov x19, x22\n\t"
	"mov x21, #1\n"
	"5:\t" RUN_STEPS "5b\n"
	"6:\tcbz x19, 7f\n\t"
	"ldr x9, " STEP(ERROR) "\n\t"
	"str w9, [x24, #" OFFSET(BOARD_ERROR) "]\n"
	"7:\tadd w26, w26, #1\n\t"
	"b 1b\n"
	"8:\t" RESTORE
	"ret"
	END(team_work)

	/* The turn comes last: workers that see it also see the rest. */
	FUNCTION(team_release)
	"str w1, [x0, #" OFFSET(BOARD_BUSY) "]\n\t"
	"str w2, [x0, #" OFFSET(BOARD_PART) "]\n"
	"1:\tldaxr w9, [x0]\n\t"
	"add w9, w9, #1\n\t"
	"stlxr w10, w9, [x0]\n\t"
	"cbnz w10, 1b\n\t"
	FUTEX_WAKE_ALL
	"ret"
	END(team_release)

	FUNCTION(step_mark)
	"isb\n\t" /* keeps work from moving over the boundary on a real CPU */
	"mrs x9, cntvct_el0\n\t"
	"isb\n\t"
	"str x9, [x20], #8\n\t"
	MARK(50)
	"ret"
	END(step_mark)

	FUNCTION(step_mark_time)
	"str x30, [sp, #-16]!\n\t"
	"ldr x9, " STEP(ARG0) "\n\t"
	"blr x9\n\t"
	"ldr x30, [sp], #16\n\t"
	"str x0, [x20], #8\n\t"
	MARK(50)
	"ret"
	END(step_mark_time)

	FUNCTION(step_call)
	"ldr x8, " STEP(NUMBER) "\n\t"
	"ldr x0, " STEP(START) "\n\t"
	"ldr x0, [x0]\n\t"
	CALL_KERNEL
	"ret"
	END(step_call)

	FUNCTION(step_map)
	"ldr x8, " STEP(NUMBER) "\n\t"
	"mov x0, #0\n\t"
	CALL_KERNEL
	"ldr x9, " STEP(START) "\n\t"
	"str x0, [x9]\n\t"
	"ret"
	END(step_map)

	FUNCTION(step_failed)
	".Lfailed:\n\t"
	"neg x0, x0\n\t"
	"ldr x9, " STEP(TOLERATED) "\n\t"
	"cmp x0, x9\n\t"
	"b.eq 1f\n\t"
	"str x0, " STEP(ERROR) "\n\t"
	LEAVE
	"1:\tret"
	END(step_failed)

	FUNCTION(step_write)
	"ldr x0, " STEP(START) "\n\t"
	"ldr x0, [x0]\n\t"
	"ldp x1, x2, " STEP(ARG0) "\n\t"
	"ldr x3, " STEP(ARG2) "\n\t"
	CALL("memory_write")
	"ret"
	END(step_write)

	FUNCTION(step_count)
	"ldr x0, " STEP(START) "\n\t"
	"ldr x0, [x0]\n\t"
	"ldp x1, x2, " STEP(ARG0) "\n\t"
	"ldr x3, " STEP(ARG2) "\n\t"
	CALL("memory_count")
	"ldr x9, " STEP(ARG3) "\n\t"
	"ldr x10, [x9]\n\t"
	"add x10, x10, x0\n\t"
	"str x10, [x9]\n\t"
	"ret"
	END(step_count)

	FUNCTION(step_touch)
	"ldr x0, " STEP(START) "\n\t"
	"ldr x1, " STEP(ARG0) "\n\t"
	"ldr x2, " STEP(ARG2) "\n\t"
	CALL("memory_touch")
	"ret"
	END(step_touch)

	FUNCTION(counted_loop)
	"ldr x0, " STEP(ARG0) "\n\t"
	"mov x1, #0\n"
	"1:\tadd x1, x1, #1\n\t"
	"subs x0, x0, #1\n\t"
	"b.ne 1b\n\t"
	"ldr x9, " STEP(START) "\n\t"
	"ldr x10, [x9]\n\t"
	"add x10, x10, x1\n\t"
	"str x10, [x9]\n\t"
	"ret"
	END(counted_loop)

	FUNCTION(step_calls)
	"ldr x9, " STEP(START) "\n\t"
	"mov x11, #0\n"
	"1:\tldr x8, " STEP(NUMBER) "\n\t"
	"svc #0\n\t"
	"mvn x0, x0\n\t"
	"add x11, x11, #1\n\t"
	"ldr x12, [x9]\n\t"
	"add x12, x12, x0, lsr #63\n\t"
	"str x12, [x9]\n\t"
	"ldr x10, " STEP(ARG0) "\n\t"
	"cmp x11, x10\n\t"
	"b.lo 1b\n\t"
	"ret"
	END(step_calls)

	FUNCTION(step_add)
	"ldr x9, " STEP(START) "\n\t"
	"ldr x10, " STEP(ARG0) "\n\t"
	"ldr x11, [x9]\n\t"
	"add x11, x11, x10\n\t"
	"str x11, [x9]\n\t"
	"ret"
	END(step_add)

	FUNCTION(step_release)
	"ldr x0, " STEP(START) "\n\t"
	"ldp x1, x2, " STEP(ARG0) "\n\t"
	CALL("team_release")
	"ret"
	END(step_release)

	FUNCTION(step_wait)
	"ldr x24, " STEP(START) "\n"
	"1:\tadd x0, x24, #" OFFSET(BOARD_BUSY) "\n\t"
	"ldar w2, [x0]\n\t"
	"cbz w2, 2f\n\t"
	FUTEX_WAIT_VALUE
	"b 1b\n"
	"2:\tldr w9, [x24, #" OFFSET(BOARD_ERROR) "]\n\t"
	"cbnz w9, 3f\n\t"
	"ret\n"
	"3:\tstr x9, " STEP(ERROR) "\n\t"
	LEAVE
	END(step_wait)

	FUNCTION(step_spin)
	"ldr x9, " STEP(START) "\n\t"
	"ldr x10, " STEP(ARG0) "\n"
	"1:\tldar x11, [x9]\n\t"
	"ldr x12, [x10]\n\t"
	"cmp x11, x12\n\t"
	"b.eq 2f\n\t"
	"yield\n\t"
	"b 1b\n"
	"2:\tret"
	END(step_spin)

	/* The child reads its steps through x19, which is the parent's until then. */
	FUNCTION(step_fork)
	"ldr x8, " STEP(NUMBER) "\n\t"
	"ldr x0, " STEP(ARG0) "\n\t"
	"mov x1, #0\n\t"
	"mov x2, #0\n\t"
	"mov x3, #0\n\t"
	"mov x4, #0\n\t"
	MARK(46)
	"svc #0\n\t"
	"cbz x0, 1f\n\t"
	"cmn x0, #4095\n\t"
	"b.hs .Lfailed\n\t"
	"ldr x9, " STEP(START) "\n\t"
	"str x0, [x9]\n\t"
	"ret\n"
	"1:\tmov x0, #0\n\t"
	"ldr x19, " STEP(ARG1) "\n\t"
	"cbz x19, 4f\n\t"
	LOCAL(.Lrun_and_exit)
	"mov x22, x19\n\t"
	"mov x21, #1\n\t"
	"adr x23, 3f\n"
	"2:\t" RUN_STEPS "2b\n"
	"3:\tmov x0, #0\n\t"
	"cbz x19, 4f\n\t"
	"ldr x0, " STEP(ERROR) "\n"
	"4:\t" MARK(58)
	"mov x8, #" NR_EXIT_GROUP "\n\t"
	"svc #0\n\t"
	"brk #0"
	END(step_fork)

	FUNCTION(image_enter)
	"mov x19, #" OFFSET(IMAGE_ADDRESS) "\n\t"
	"b .Lrun_and_exit"
	END(image_enter)

	/* args[4] takes the status: a signal in bits 0 to 6, the exit status in bits 8 to 15. */
	FUNCTION(step_reap)
	"ldr x8, " STEP(NUMBER) "\n\t"
	"ldr x0, " STEP(START) "\n\t"
	"ldr x0, [x0]\n\t"
	"add x1, x19, #" OFFSET(STEP_ARG4) "\n\t"
	"mov x2, #0\n\t"
	"mov x3, #0\n\t"
	"svc #0\n\t"
	"cmn x0, #4095\n\t"
	"b.hs .Lfailed\n\t"
	"ldr w9, " STEP(ARG4) "\n\t"
	"cbnz w9, 1f\n\t"
	"ret\n"
	"1:\tlsr w9, w9, #8\n\t"
	"mov w10, #" ECHILD_NUMBER "\n\t"
	"cmp w9, #0\n\t"
	"csel w9, w10, w9, eq\n\t"
	"str x9, " STEP(ERROR) "\n\t"
	LEAVE
	END(step_reap)

	FUNCTION(step_repeat)
	"ldp x10, x11, " STEP(ARG0) "\n\t"
	"ldr x9, " STEP(ARG2) "\n\t"
	"add x9, x9, #1\n\t"
	"cmp x9, x10\n\t"
	"b.hs 1f\n\t"
	"str x9, " STEP(ARG2) "\n\t"
	"sub x19, x19, x11\n\t"
	"sub x19, x19, #" OFFSET(STEP_BYTES) "\n\t"
	"ret\n"
	"1:\tstr xzr, " STEP(ARG2) "\n\t"
	"ret"
	END(step_repeat)

	FUNCTION(step_end)
	"subs x21, x21, #1\n\t"
	"b.eq 1f\n\t"
	"sub x19, x22, #" OFFSET(STEP_BYTES) "\n\t"
	"ret\n"
	"1:\tmov x19, #0\n\t"
	LEAVE
	END(step_end)

	FUNCTION(step_idle)
	".rept 64\n\tnop\n\t.endr\n" /* ARCH_MAX_IDLE of them; a step enters before the last ones of them */
	"\t.globl step_idle_end\n"
	"step_idle_end:\n\t"
	"ret"
	END(step_idle)

	FUNCTION(memory_write)
	"add x1, x0, x1\n\t"
	"cmp x0, x1\n\t"
	"b.hs 2f\n"
	"1:\tstr x2, [x0]\n\t"
	"add x0, x0, x3\n\t"
	"cmp x0, x1\n\t"
	"b.lo 1b\n"
	"2:\tret"
	END(memory_write)

	FUNCTION(memory_count)
	"add x1, x0, x1\n\t"
	"mov x4, x0\n\t"
	"mov x0, #0\n\t"
	"cmp x4, x1\n\t"
	"b.hs 2f\n"
	"1:\tldr x5, [x4]\n\t"
	"cmp x5, x2\n\t"
	"cinc x0, x0, eq\n\t"
	"add x4, x4, x3\n\t"
	"cmp x4, x1\n\t"
	"b.lo 1b\n"
	"2:\tret"
	END(memory_count)

	/* Where it ends is computed for each page, from memory that others see too. */
	FUNCTION(memory_touch)
	"ldr x3, [x0]\n\t"
	"add x4, x3, x1\n\t"
	"mov w5, #1\n\t"
	"cmp x3, x4\n\t"
	"b.hs 2f\n"
	"1:\tstrb w5, [x3]\n\t"
	"ldr x4, [x0]\n\t"
	"add x3, x3, x2\n\t"
	"add x4, x4, x1\n\t"
	"cmp x3, x4\n\t"
	"b.lo 1b\n"
	"2:\tret"
	END(memory_touch)

	FUNCTION(region_announce)
	MARK(53)
	"ret"
	END(region_announce)

	"\t.globl measured_end\n"
	"measured_end:\n"
	"\t.popsection\n");

extern const char step_idle_end[];

void (*arch_idle(unsigned int count))(void)
{
	return (void (*)(void))(uintptr_t)(step_idle_end - 4 * count);
}

uint64_t arch_tick_rate(void)
{
	uint64_t rate;

	__asm__("mrs %0, cntfrq_el0" : "=r"(rate));
	return rate;
}

int arch_ports_open(void)
{
	return -1;
}

void arch_port_write(uint16_t port, uint32_t value, size_t bytes)
{
	(void)port;
	(void)value;
	(void)bytes;
}

#endif
