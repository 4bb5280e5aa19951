// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of ring 0, and the ways into it and out of it, in a virtual machine. If the hypervisor takes an
 * instruction over, it costs as much as ring0_cpuid, which every hypervisor takes over: calibrate/privileged.py refuses it.
 */
#if defined(__x86_64__)
#include "arch.h"
#include "copies-x86_64.h"
#include "vm.h"

#define OF_MSR(number) "mov $" #number ", %%ecx\n\trdmsr"
#define INVALIDATE(type) "mov $" #type ", %%eax\n\tmovq $0, 64(%%r15)\n\tmov %%r15, 72(%%r15)"
#define NEEDS_PCIDS "mov %%cr4, %%rax\n\tbt $17, %%rax\n\tjc 3f\n\tud2\n3:\t"

PROBE(ring0_cpuid, "", "xor %%eax, %%eax\n\tcpuid", 1, 1)
PROBE(ring0_stac, "", "stac", 32, 1)
PROBE(ring0_clac, "", "clac", 32, 1)
PROBE(ring0_stac_clac, "", "stac\n\tclac", 16, 1)
PROBE(ring0_cli, "", "cli", 32, 1)
PROBE(ring0_cli_sti, "", "sti\n\tcli", 16, 1)
PROBE(ring0_swapgs, "", "swapgs", 32, 1)
PROBE(ring0_rdmsr, OF_MSR(0xc0000100), "rdmsr", 16, 1)
PROBE(ring0_wrmsr, OF_MSR(0xc0000100), "wrmsr", 16, 1)
PROBE(ring0_invlpg, "", "invlpg (%%r15)", 16, 1)
PROBE(ring0_invpcid_page, INVALIDATE(0), "invpcid 64(%%r15), %%rax", 8, 1)
PROBE(ring0_invpcid_pcid, INVALIDATE(1), "invpcid 64(%%r15), %%rax", 8, 1)
PROBE(ring0_invpcid_all, INVALIDATE(3), "invpcid 64(%%r15), %%rax", 8, 1)
PROBE(ring0_mov_cr3, "mov %%cr3, %%rax", "mov %%rax, %%cr3", 8, 1)
PROBE(ring0_mov_cr3_keep, NEEDS_PCIDS "mov %%cr3, %%rax\n\tbts $63, %%rax", "mov %%rax, %%cr3", 8, 1)
PROBE(ring0_mov_cr4, "mov %%cr4, %%rax", "mov %%rax, %%cr4", 8, 1)
PROBE(ring0_read_cr2, "", "mov %%cr2, %%rax", 16, 1)
PROBE(ring0_read_cr3, "", "mov %%cr3, %%rax", 16, 1)
PROBE(ring0_read_dr, "", "mov %%dr6, %%rax", 8, 1)
PROBE(ring0_lidt, "sidt 64(%%r15)", "lidt 64(%%r15)", 4, 1)
/* From ring 0 to ring 0: frames as those of an exception, and the same without the return. */
#define FRAME "push %%r8\n\tpush %%r9\n\tpush %%r10\n\tpush %%r11\n\tlea 3f(%%rip), %%rax\n\tpush %%rax\n\t"
#define FRAME_OF_RING_0 "mov $0x10, %%r8d\n\tmov %%rsp, %%r9\n\tmov $2, %%r10d\n\tmov $0x08, %%r11d"

PROBE(ring0_iret, FRAME_OF_RING_0, FRAME "iretq\n3:", 4, 1)
PROBE(ring0_frame, FRAME_OF_RING_0, FRAME "lea 40(%%rsp), %%rsp\n\tjmp *%%rax\n3:", 4, 1)
PROBE(ring0_int, "", "int $0x81", 8, 1)
PROBE(ring0_fault, "mov %%r15, %%rbx", "xor %%eax, %%eax\n\tmov (%%rax), %%rcx", 4, 1)

/*
 * Code of ring 3 does one thing r14 times, and then leaves by an interrupt. It may read at rbx. r13 adds up ticks.
 * rsp and r8 are an address of ring 0's: SYSCALL keeps rsp, and ring 3 has no stack.
 */
extern const char ring3_syscall[], ring3_int[], ring3_fault[], ring3_timed[], ring3_clock[], left_ring3[];
extern const char to_sysret[], to_timed_sysret[], to_iret[], soft_handler[], fault_handler[];
static char readable[PAGE] __attribute__((aligned(PAGE)));
static char syscall_stack[PAGE] __attribute__((aligned(PAGE)));
static uint64_t ring0_stack __attribute__((used));

#define TICKS(operation) "lfence\n\trdtsc\n\tlfence\n\tshl $32, %rdx\n\tor %rdx, %rax\n\t" operation " %rax, %r13\n\t"
#define AGAIN(name) "dec %r14\n\tjnz " name "\n\tint $0x80\n"

asm(".pushsection .text\n"
    "ring3_syscall: syscall\n\t" AGAIN("ring3_syscall")
    "ring3_int: int $0x81\n\t" AGAIN("ring3_int")
    "ring3_fault: xor %eax, %eax\n\tmov (%rax), %rcx\n\t" AGAIN("ring3_fault")
    "ring3_timed: " TICKS("sub") "syscall\n\t" AGAIN("ring3_timed")
    "ring3_clock: " TICKS("sub") TICKS("add") AGAIN("ring3_clock")
    "to_sysret: sysretq\n"
    "to_timed_sysret: " TICKS("add") "sysretq\n"
    "to_iret: push $0x1b\n\tpush %r8\n\tpush %r11\n\tpush $0x23\n\tpush %rcx\n\tiretq\n"
    "left_ring3: mov ring0_stack(%rip), %rsp\n\tret\n"
    "soft_handler: iretq\n"
    "fault_handler: lea 8(%rsp), %rsp\n\tmov %rbx, %rax\n\tiretq\n"
    ".popsection");

static uint64_t in_ring3(const char *code, uint64_t operations)
{
	register uint64_t left asm("r14") = operations;
	register uint64_t elapsed asm("r13") = 0;
	register const void *start asm("r12") = vm_user(code);
	register const void *data asm("rbx") = vm_user(readable);
	register const void *top asm("r8") = syscall_stack + PAGE;

	asm volatile("lea -256(%%rsp), %%rsp\n\tpush %%rbp\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\t"
		     "mov %%rsp, ring0_stack(%%rip)\n\t"
		     "push $0x1b\n\tpush %%r8\n\tpush $2\n\tpush $0x23\n\tpush %%r12\n\tiretq\n"
		     "1: pop %%rbp\n\tlea 256(%%rsp), %%rsp"
		     : "+r"(left), "+r"(elapsed) : "r"(start), "r"(data), "r"(top)
		     : "rax", "rcx", "rdx", "rsi", "rdi", "r9", "r10", "r11", "r15", "cc", "memory");
	counted = elapsed;
	return operations - left;
}

#define RING3(probe, code)                              \
	static uint64_t probe(uint64_t operations)      \
	{                                               \
		return in_ring3(code, operations);      \
	}

RING3(syscall_sysret, ring3_syscall)
RING3(syscall_timed, ring3_timed)
RING3(clock_timed, ring3_clock)
RING3(int_iret, ring3_int)
RING3(fault_iret, ring3_fault)

static const char *start(const char *system_call)
{
	const char *no = vm_start();

	if (no)
		return no;
	vm_gate(0x80, left_ring3);
	vm_gate(0x81, soft_handler);
	vm_gate(14, fault_handler);
	return vm_system_calls_to(system_call);
}

static const char *prepare(uint64_t argument)
{
	(void)argument;
	return start(to_sysret);
}

static const char *prepare_timed(uint64_t argument)
{
	(void)argument;
	return start(to_timed_sysret);
}

static const char *prepare_iret(uint64_t argument)
{
	(void)argument;
	return start(to_iret);
}

#define ENTRY(probe, number) { #probe, prepare, NULL, probe, number, NULL }
#define MANY 3000
#define FEW 300

const struct probe privileged_probes[] = {
	ENTRY(ring0_cpuid, 10),		ENTRY(ring0_stac, MANY),	ENTRY(ring0_clac, MANY),
	ENTRY(ring0_stac_clac, MANY),	ENTRY(ring0_cli, MANY),		ENTRY(ring0_cli_sti, MANY),
	ENTRY(ring0_swapgs, MANY),	ENTRY(ring0_rdmsr, FEW),	ENTRY(ring0_wrmsr, FEW),
	ENTRY(ring0_invlpg, FEW),
	ENTRY(ring0_invpcid_page, FEW),	ENTRY(ring0_invpcid_pcid, FEW),	ENTRY(ring0_invpcid_all, FEW),
	ENTRY(ring0_mov_cr3, FEW),	ENTRY(ring0_mov_cr3_keep, FEW),	ENTRY(ring0_mov_cr4, FEW),
	ENTRY(ring0_read_cr2, MANY),	ENTRY(ring0_read_cr3, MANY),	ENTRY(ring0_read_dr, MANY),
	ENTRY(ring0_lidt, FEW),		ENTRY(ring0_iret, FEW),		ENTRY(ring0_frame, MANY),
	ENTRY(ring0_int, FEW),		ENTRY(ring0_fault, FEW),
	{ "ring3_syscall_sysret", prepare, NULL, syscall_sysret, MANY, NULL },
	{ "ring3_syscall_iret", prepare_iret, NULL, syscall_sysret, MANY, NULL },
	{ "ring3_syscall", prepare_timed, NULL, syscall_timed, FEW, NULL },
	{ "ring3_clock", prepare, NULL, clock_timed, FEW, NULL },
	{ "ring3_int", prepare, NULL, int_iret, FEW, NULL },
	{ "ring3_fault", prepare, NULL, fault_iret, FEW, NULL },
	{ 0 },
};
#endif
