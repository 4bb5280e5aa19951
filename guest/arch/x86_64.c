// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: nopl 0x4b4153<letter>(%rax), bytes 0f 1f 80 <letter> 53 41 4b, an instruction without effect that is found
 * nowhere else. A counting emulator takes them for: S a workload started, N one for each boundary that a round has,
 * B the region begins, P a boundary, W this task works for the measured one, F it forks a child
 * that does, X it exits, E the region ends.
 *
 * Under QEMU's icount the time stamp counter runs at 1 GHz of virtual time: one tick is one instruction.
 *
 * While a script runs: %rbx the step, %rbp where the next tick goes, %r12 rounds left, %r13 the first step, %r15
 * where the script is left. A step returns to the next one; to leave, it returns to %r15 instead.
 */
#include "arch.h"

#if defined(__x86_64__)

#include <sys/io.h>

#define TEXT(macro) #macro
#define OFFSET(macro) TEXT(macro)

#define FUNCTION(name) ".globl " #name "\n\t.type " #name ", @function\n" #name ":\n\t"
#define END(name) "\n\t.size " #name ", . - " #name "\n"
#define MARK(letter) "nopl 0x4b4153" #letter "(%rax)\n\t"
#define LOCAL(name) #name ":\n\t"

#define STEP(field) OFFSET(STEP_##field) "(%rbx)"
#define BOARD(field, base) OFFSET(BOARD_##field) "(%" #base ")"

#define SAVE "push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\tsub $8, %rsp\n\t"
#define RESTORE "add $8, %rsp\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n\t"
#define RUN_STEPS "call *(%rbx)\n\tadd $" OFFSET(STEP_BYTES) ", %rbx\n\tjmp "
#define LEAVE "mov %r15, (%rsp)\n\tret\n\t"

/* The call with the arguments behind the first; an error ends in .Lfailed. */
#define CALL_KERNEL \
	"mov " STEP(ARG0) ", %rsi\n\t" \
	"mov " STEP(ARG1) ", %rdx\n\t" \
	"mov " STEP(ARG2) ", %r10\n\t" \
	"mov " STEP(ARG3) ", %r8\n\t" \
	"mov " STEP(ARG4) ", %r9\n\t" \
	"syscall\n\t" \
	"cmp $-4095, %rax\n\t" \
	"jae .Lfailed\n\t"

#define NR_EXIT_GROUP "231"
#define NR_FUTEX "202"
#define ECHILD_NUMBER "10" /* stands for a child that was killed */
#define FUTEX_WAKE_ALL "mov $1, %esi\n\tmov $0x7fffffff, %edx\n\txor %r10d, %r10d\n\tmov $" NR_FUTEX ", %eax\n\tsyscall\n\t"
#define FUTEX_WAIT_VALUE "xor %esi, %esi\n\txor %r10d, %r10d\n\tmov $" NR_FUTEX ", %eax\n\tsyscall\n\t"

__asm__("\t.pushsection .text.measured, \"ax\", @progbits\n"
	"\t.balign 64\n"
	"\t.globl measured_begin\n"
	"measured_begin:\n\t"

	FUNCTION(region_run)
	SAVE
	"mov %rdi, %r13\n\t"
	"mov %rsi, %r12\n\t"
	"mov %rdx, %rbp\n\t"
	"mov %rdi, %rbx\n\t"
	"lea 3f(%rip), %r15\n"
	"1:\t" MARK(4e)
	"dec %rcx\n\t"
	"jnz 1b\n\t"
	MARK(42)
	"2:\t" RUN_STEPS "2b\n"
	"3:\t" MARK(45)
	"mov %rbx, %rax\n\t"
	RESTORE
	"ret"
	END(region_run)

	FUNCTION(script_run)
	SAVE
	"mov %rdi, %r13\n\t"
	"mov $1, %r12d\n\t"
	"mov %rsi, %rbp\n\t"
	"mov %rdi, %rbx\n\t"
	"lea 2f(%rip), %r15\n"
	"1:\t" RUN_STEPS "1b\n"
	"2:\tmov %rbx, %rax\n\t"
	RESTORE
	"ret"
	END(script_run)

	/* %r14 the board, 0(%rsp) the turn */
	FUNCTION(team_work)
	SAVE
	"mov %rdi, %r14\n\t"
	"mov %rsi, %rbp\n\t"
	"movl $0, (%rsp)\n\t"
	"lea 6f(%rip), %r15\n"
	"1:\tlock subl $1, " BOARD(BUSY, r14) "\n\t"
	"jnz 2f\n\t"
	"lea " BOARD(BUSY, r14) ", %rdi\n\t"
	FUTEX_WAKE_ALL
	"2:\tmov (%rsp), %edx\n"
	"3:\tcmp (%r14), %edx\n\t"
	"jne 4f\n\t"
	"mov %r14, %rdi\n\t"
	FUTEX_WAIT_VALUE
	"jmp 3b\n"
	"4:\tmov " BOARD(PART, r14) ", %eax\n\t"
	"cmp $-1, %eax\n\t"
	"je 8f\n\t"
	MARK(57)
	"mov (%rbp,%rax,8), %r13\n\t"
	"mov %r13, %rbx\n\t"
	"mov $1, %r12d\n"
	"5:\t" RUN_STEPS "5b\n"
	"6:\ttest %rbx, %rbx\n\t"
	"jz 7f\n\t"
	"mov " STEP(ERROR) ", %rax\n\t"
	"xchg %eax, " BOARD(ERROR, r14) "\n"
	"7:\taddl $1, (%rsp)\n\t"
	"jmp 1b\n"
	"8:\t" RESTORE
	"ret"
	END(team_work)

	FUNCTION(team_release)
	"xchg %esi, " BOARD(BUSY, rdi) "\n\t"
	"xchg %edx, " BOARD(PART, rdi) "\n\t"
	"lock addl $1, (%rdi)\n\t"
	FUTEX_WAKE_ALL
	"ret"
	END(team_release)

	FUNCTION(step_mark)
	"lfence\n\t" /* keeps work from moving over the boundary on a real CPU */
	"rdtsc\n\t"
	"lfence\n\t"
	"shl $32, %rdx\n\t"
	"or %rdx, %rax\n\t"
	"mov %rax, (%rbp)\n\t"
	MARK(50)
	"add $8, %rbp\n\t"
	"ret"
	END(step_mark)

	FUNCTION(step_mark_time)
	"sub $8, %rsp\n\t"
	"call *" STEP(ARG0) "\n\t"
	"add $8, %rsp\n\t"
	"mov %rax, (%rbp)\n\t"
	MARK(50)
	"add $8, %rbp\n\t"
	"ret"
	END(step_mark_time)

	FUNCTION(step_call)
	"mov " STEP(NUMBER) ", %rax\n\t"
	"mov " STEP(START) ", %rdi\n\t"
	"mov (%rdi), %rdi\n\t"
	CALL_KERNEL
	"ret"
	END(step_call)

	FUNCTION(step_map)
	"mov " STEP(NUMBER) ", %rax\n\t"
	"xor %edi, %edi\n\t"
	CALL_KERNEL
	"mov " STEP(START) ", %rdi\n\t"
	"mov %rax, (%rdi)\n\t"
	"ret"
	END(step_map)

	FUNCTION(step_failed)
	LOCAL(.Lfailed)
	"neg %rax\n\t"
	"cmp " STEP(TOLERATED) ", %rax\n\t"
	"je 1f\n\t"
	"mov %rax, " STEP(ERROR) "\n\t"
	LEAVE
	"1:\tret"
	END(step_failed)

	FUNCTION(step_write)
	"mov " STEP(START) ", %rdi\n\t"
	"mov (%rdi), %rdi\n\t"
	"mov " STEP(ARG0) ", %rsi\n\t"
	"mov " STEP(ARG1) ", %rdx\n\t"
	"mov " STEP(ARG2) ", %rcx\n\t"
	"call memory_write\n\t"
	"ret"
	END(step_write)

	FUNCTION(step_count)
	"mov " STEP(START) ", %rdi\n\t"
	"mov (%rdi), %rdi\n\t"
	"mov " STEP(ARG0) ", %rsi\n\t"
	"mov " STEP(ARG1) ", %rdx\n\t"
	"mov " STEP(ARG2) ", %rcx\n\t"
	"call memory_count\n\t"
	"mov " STEP(ARG3) ", %rdi\n\t"
	"add %rax, (%rdi)\n\t"
	"ret"
	END(step_count)

	FUNCTION(step_touch)
	"mov " STEP(START) ", %rdi\n\t"
	"mov " STEP(ARG0) ", %rsi\n\t"
	"mov " STEP(ARG2) ", %rdx\n\t"
	"call memory_touch\n\t"
	"ret"
	END(step_touch)

	FUNCTION(counted_loop)
	"mov " STEP(ARG0) ", %rdi\n\t"
	"xor %eax, %eax\n"
	"1:\tadd $1, %rax\n\t"
	"sub $1, %rdi\n\t"
	"jnz 1b\n\t"
	"mov " STEP(START) ", %rdi\n\t"
	"add %rax, (%rdi)\n\t"
	"ret"
	END(counted_loop)

	FUNCTION(step_calls)
	"mov " STEP(NUMBER) ", %rsi\n\t"
	"mov " STEP(START) ", %rdi\n\t"
	"xor %edx, %edx\n"
	"1:\tmov %rsi, %rax\n\t"
	"syscall\n\t"
	"not %rax\n\t"
	"add $1, %rdx\n\t"
	"shr $63, %rax\n\t"
	"add %rax, (%rdi)\n\t"
	"cmp " STEP(ARG0) ", %rdx\n\t"
	"jb 1b\n\t"
	"ret"
	END(step_calls)

	FUNCTION(step_add)
	"mov " STEP(START) ", %rdi\n\t"
	"mov " STEP(ARG0) ", %rax\n\t"
	"add %rax, (%rdi)\n\t"
	"ret"
	END(step_add)

	FUNCTION(step_release)
	"mov " STEP(START) ", %rdi\n\t"
	"mov " STEP(ARG0) ", %rsi\n\t"
	"mov " STEP(ARG1) ", %rdx\n\t"
	"call team_release\n\t"
	"ret"
	END(step_release)

	FUNCTION(step_wait)
	"mov " STEP(START) ", %r14\n\t"
	"lea " BOARD(BUSY, r14) ", %rdi\n"
	"1:\tmov (%rdi), %edx\n\t"
	"test %edx, %edx\n\t"
	"jz 2f\n\t"
	FUTEX_WAIT_VALUE
	"jmp 1b\n"
	"2:\tmov " BOARD(ERROR, r14) ", %eax\n\t"
	"test %eax, %eax\n\t"
	"jnz 3f\n\t"
	"ret\n"
	"3:\tmov %rax, " STEP(ERROR) "\n\t"
	LEAVE
	END(step_wait)

	FUNCTION(step_spin)
	"mov " STEP(START) ", %rdi\n\t"
	"mov " STEP(ARG0) ", %rsi\n"
	"1:\tmov (%rsi), %rax\n\t"
	"cmp (%rdi), %rax\n\t"
	"je 2f\n\t"
	"pause\n\t"
	"jmp 1b\n"
	"2:\tret"
	END(step_spin)

	/* The child reads its steps through %rbx, which is the parent's until then. */
	FUNCTION(step_fork)
	"mov " STEP(NUMBER) ", %rax\n\t"
	"mov " STEP(ARG0) ", %rdi\n\t"
	"xor %esi, %esi\n\t"
	"xor %edx, %edx\n\t"
	"xor %r10d, %r10d\n\t"
	"xor %r8d, %r8d\n\t"
	MARK(46)
	"syscall\n\t"
	"test %rax, %rax\n\t"
	"jz 1f\n\t"
	"cmp $-4095, %rax\n\t"
	"jae .Lfailed\n\t"
	"mov " STEP(START) ", %rdi\n\t"
	"mov %rax, (%rdi)\n\t"
	"ret\n"
	"1:\txor %edi, %edi\n\t"
	"mov " STEP(ARG1) ", %rbx\n\t"
	"test %rbx, %rbx\n\t"
	"jz 4f\n\t"
	LOCAL(.Lrun_and_exit)
	"mov %rbx, %r13\n\t"
	"mov $1, %r12d\n\t"
	"lea 3f(%rip), %r15\n"
	"2:\t" RUN_STEPS "2b\n"
	"3:\txor %edi, %edi\n\t"
	"test %rbx, %rbx\n\t"
	"jz 4f\n\t"
	"mov " STEP(ERROR) ", %rdi\n"
	"4:\t" MARK(58)
	"mov $" NR_EXIT_GROUP ", %eax\n\t"
	"syscall\n\t"
	"ud2"
	END(step_fork)

	FUNCTION(image_enter)
	"movabs $" OFFSET(IMAGE_ADDRESS) ", %rbx\n\t"
	"xor %ebp, %ebp\n\t"
	"jmp .Lrun_and_exit"
	END(image_enter)

	/* args[4] takes the status: a signal in bits 0 to 6, the exit status in bits 8 to 15. */
	FUNCTION(step_reap)
	"mov " STEP(NUMBER) ", %rax\n\t"
	"mov " STEP(START) ", %rdi\n\t"
	"mov (%rdi), %rdi\n\t"
	"lea " STEP(ARG4) ", %rsi\n\t"
	"xor %edx, %edx\n\t"
	"xor %r10d, %r10d\n\t"
	"syscall\n\t"
	"cmp $-4095, %rax\n\t"
	"jae .Lfailed\n\t"
	"mov " STEP(ARG4) ", %eax\n\t"
	"test %eax, %eax\n\t"
	"jnz 1f\n\t"
	"ret\n"
	"1:\tmov $" ECHILD_NUMBER ", %edx\n\t"
	"shr $8, %eax\n\t"
	"cmovz %edx, %eax\n\t"
	"mov %rax, " STEP(ERROR) "\n\t"
	LEAVE
	END(step_reap)

	FUNCTION(step_repeat)
	"mov " STEP(ARG2) ", %rax\n\t"
	"add $1, %rax\n\t"
	"cmp " STEP(ARG0) ", %rax\n\t"
	"jae 1f\n\t"
	"mov %rax, " STEP(ARG2) "\n\t"
	"sub " STEP(ARG1) ", %rbx\n\t"
	"sub $" OFFSET(STEP_BYTES) ", %rbx\n\t"
	"ret\n"
	"1:\tmovq $0, " STEP(ARG2) "\n\t"
	"ret"
	END(step_repeat)

	FUNCTION(step_end)
	"dec %r12\n\t"
	"jz 1f\n\t"
	"lea -" OFFSET(STEP_BYTES) "(%r13), %rbx\n\t"
	"ret\n"
	"1:\txor %ebx, %ebx\n\t"
	LEAVE
	END(step_end)

	FUNCTION(step_idle)
	".skip 64, 0x90\n" /* nops: ARCH_MAX_IDLE of them; a step enters before the last ones of them */
	"\t.globl step_idle_end\n"
	"step_idle_end:\n\t"
	"ret"
	END(step_idle)

	FUNCTION(memory_write)
	"add %rdi, %rsi\n\t"
	"cmp %rsi, %rdi\n\t"
	"jae 2f\n"
	"1:\tmov %rdx, (%rdi)\n\t"
	"add %rcx, %rdi\n\t"
	"cmp %rsi, %rdi\n\t"
	"jb 1b\n"
	"2:\tret"
	END(memory_write)

	FUNCTION(memory_count)
	"add %rdi, %rsi\n\t"
	"xor %eax, %eax\n\t"
	"cmp %rsi, %rdi\n\t"
	"jae 2f\n"
	"1:\tmov (%rdi), %r8\n\t"
	"cmp %rdx, %r8\n\t"
	"sete %r8b\n\t"
	"add %rcx, %rdi\n\t"
	"movzbl %r8b, %r8d\n\t"
	"add %r8, %rax\n\t"
	"cmp %rsi, %rdi\n\t"
	"jb 1b\n"
	"2:\tret"
	END(memory_count)

	/* Where it ends is computed for each page, from memory that others see too. */
	FUNCTION(memory_touch)
	"mov (%rdi), %rax\n\t"
	"lea (%rax,%rsi), %rcx\n\t"
	"cmp %rcx, %rax\n\t"
	"jae 2f\n"
	"1:\tmovb $1, (%rax)\n\t"
	"mov (%rdi), %rcx\n\t"
	"add %rdx, %rax\n\t"
	"add %rsi, %rcx\n\t"
	"cmp %rcx, %rax\n\t"
	"jb 1b\n"
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
	return (void (*)(void))(uintptr_t)(step_idle_end - count);
}

uint64_t arch_tick_rate(void)
{
	return 0;
}

int arch_ports_open(void)
{
	return iopl(3);
}

void arch_port_write(uint16_t port, uint32_t value, size_t bytes)
{
	if (bytes == 1)
		outb((unsigned char)value, port);
	else
		outl(value, port);
}

#endif
