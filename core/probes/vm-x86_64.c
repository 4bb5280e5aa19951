// SPDX-License-Identifier: GPL-2.0-only
/* The virtual machine of privileged probes, by KVM (Documentation/virt/kvm/api.rst). */
#if defined(__x86_64__)
#include <asm/processor-flags.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe.h"
#include "vm.h"

/* The image is at USER in the machine's memory and in ring 3. Ring 0 has it where the program has it. */
#define USER 0x10000000UL
#define TABLES 32
#define ENTRIES 512

#define PRESENT 1UL
#define WRITABLE 2UL
#define OF_USER 4UL
#define GLOBAL 0x100UL

#define EFER 0x501 /* SYSCALL, long mode */
#define MSR_STAR 0xc0000081
#define MSR_LSTAR 0xc0000082
#define MSR_FMASK 0xc0000084

#define TASK_SEGMENT 0x28
#define STACK 16384
#define FEATURES 256
#define MSRS 3

struct gate {
	uint16_t low, selector, flags, middle;
	uint32_t high, zero;
};

extern const char __executable_start[], _end[];

static uint64_t tables[TABLES][ENTRIES] __attribute__((aligned(PAGE)));
static unsigned int used = 1; /* the first one is the top */
static struct gate gates[256] __attribute__((aligned(PAGE)));
static uint64_t segments[7] = {
	0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cff3000000ffff, 0x00affb000000ffff,
};
static uint32_t task[26];
static char stack[STACK] __attribute__((aligned(64)));

/* Ring 0 begins at vm_begin, and halts when the function has returned. Unforeseen exceptions halt elsewhere. */
extern const char vm_begin[], vm_returned[], vm_invalid[], vm_invalid_halted[], vm_refused[], vm_refused_halted[];
extern const char vm_unforeseen[];
asm(".pushsection .text\n"
    "vm_begin: call *%rax\n\thlt\nvm_returned: ud2\n"
    "vm_invalid: hlt\nvm_invalid_halted: ud2\n"
    "vm_refused: hlt\nvm_refused_halted: ud2\n"
    "vm_unforeseen: hlt\n\tjmp vm_unforeseen\n\t.popsection");

static int vcpu = -1;
static struct kvm_run *state;
static char why[160];
static volatile sig_atomic_t late;

static uint64_t image(void)
{
	return (uint64_t)__executable_start & ~(PAGE - 1UL);
}

void *vm_user(const void *address)
{
	return (char *)USER + ((uint64_t)address - image());
}

/* Physical address of something in the image. */
static uint64_t physical(const void *address)
{
	return (uint64_t)vm_user(address);
}

static uint64_t *table_at(uint64_t entry)
{
	return tables[((entry & ~(PAGE - 1UL)) - physical(tables)) / PAGE];
}

static bool map(uint64_t address, uint64_t where, uint64_t flags)
{
	uint64_t *table = tables[0];

	for (unsigned int shift = 39; shift > 12; shift -= 9) {
		uint64_t *entry = &table[address >> shift & (ENTRIES - 1)];

		if (!*entry) {
			if (used == TABLES)
				return false;
			*entry = physical(tables[used++]) | PRESENT | WRITABLE | OF_USER;
		}
		table = table_at(*entry);
	}
	table[address >> 12 & (ENTRIES - 1)] = where | flags | PRESENT | WRITABLE | GLOBAL;
	return true;
}

static const char *failed(const char *what)
{
	snprintf(why, sizeof(why), "%s: %s", what, strerror(errno));
	return why;
}

void vm_gate(unsigned int vector, const void *code)
{
	uint64_t address = (uint64_t)code;

	gates[vector] = (struct gate){
		.low = (uint16_t)address, .selector = VM_CODE, .flags = 0xee00,
		.middle = (uint16_t)(address >> 16), .high = (uint32_t)(address >> 32),
	};
}

static void make_tables(void)
{
	uint64_t at = (uint64_t)task, top = (uint64_t)stack + STACK / 2;

	for (unsigned int vector = 0; vector < 256; vector++)
		vm_gate(vector, vm_unforeseen);
	vm_gate(6, vm_invalid); /* #UD */
	vm_gate(13, vm_refused); /* #GP */
	segments[5] = 0x0000890000000000 | (sizeof(task) - 1) | (at & 0xffffff) << 16 | (at >> 24 & 0xff) << 56;
	segments[6] = at >> 32;
	memcpy(&task[1], &top, sizeof(top)); /* stack of ring 0 when an exception comes from ring 3 */
}

/* Features of this host that KVM can pass on: which instructions there are, and what CR4 may have. */
static const char *set_features(int kvm, uint64_t *cr4)
{
	static union {
		struct kvm_cpuid2 head;
		char room[sizeof(struct kvm_cpuid2) + FEATURES * sizeof(struct kvm_cpuid_entry2)];
	} features = { .head = { .nent = FEATURES } };

	if (ioctl(kvm, KVM_GET_SUPPORTED_CPUID, &features) || ioctl(vcpu, KVM_SET_CPUID2, &features))
		return failed("KVM passes no features on");
	for (unsigned int i = 0; i < features.head.nent; i++) {
		const struct kvm_cpuid_entry2 *entry = &features.head.entries[i];

		if (entry->function == 1)
			*cr4 |= entry->ecx & 1U << 17 ? X86_CR4_PCIDE : 0;
		else if (entry->function == 7 && !entry->index)
			*cr4 |= entry->ebx & 1U << 20 ? X86_CR4_SMAP : 0;
	}
	return NULL;
}

static const char *set_state(int kvm)
{
	struct kvm_segment code = {
		.limit = ~0U, .selector = VM_CODE, .type = 11, .present = 1, .s = 1, .l = 1, .g = 1,
	};
	struct kvm_segment data = {
		.limit = ~0U, .selector = VM_DATA, .type = 3, .present = 1, .s = 1, .db = 1, .g = 1,
	};
	struct kvm_segment of_task = {
		.base = (uint64_t)task, .limit = sizeof(task) - 1, .selector = TASK_SEGMENT, .type = 11, .present = 1,
	};
	uint64_t cr4 = X86_CR4_PAE | X86_CR4_PGE | X86_CR4_OSFXSR | X86_CR4_OSXMMEXCPT;
	struct kvm_sregs all;
	const char *no = set_features(kvm, &cr4);

	if (no || ioctl(vcpu, KVM_GET_SREGS, &all))
		return no ? no : failed("KVM gives no registers");
	all.cs = code;
	all.ds = all.es = all.fs = all.gs = all.ss = data;
	all.tr = of_task;
	all.gdt.base = (uint64_t)segments;
	all.gdt.limit = sizeof(segments) - 1;
	all.idt.base = (uint64_t)gates;
	all.idt.limit = sizeof(gates) - 1;
	all.cr0 = X86_CR0_PE | X86_CR0_MP | X86_CR0_NE | X86_CR0_WP | X86_CR0_AM | X86_CR0_PG;
	all.cr3 = physical(tables);
	all.cr4 = cr4;
	all.efer = EFER;
	return ioctl(vcpu, KVM_SET_SREGS, &all) ? failed("KVM refuses the registers") : NULL;
}

static const char *make(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), machine, size;
	uint64_t bytes = ((uint64_t)_end - image() + PAGE - 1) & ~(PAGE - 1UL);
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = USER, .memory_size = bytes, .userspace_addr = image(),
	};

	if (kvm < 0 && errno == EACCES)
		return "/dev/kvm: Permission denied: join the group kvm, or run as root";
	if (kvm < 0)
		return failed("no virtual machine: /dev/kvm");
	machine = ioctl(kvm, KVM_CREATE_VM, 0);
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (machine < 0 || size < 0 || ioctl(machine, KVM_SET_USER_MEMORY_REGION, &memory))
		return failed("KVM makes no virtual machine");
	vcpu = ioctl(machine, KVM_CREATE_VCPU, 0);
	if (vcpu < 0)
		return failed("KVM makes no CPU");
	state = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (state == MAP_FAILED)
		return failed("KVM shows no state");
	for (uint64_t at = 0; at < bytes; at += PAGE)
		if (!map(image() + at, USER + at, 0) || !map(USER + at, USER + at, OF_USER))
			return "too few page tables";
	make_tables();
	return set_state(kvm);
}

const char *vm_start(void)
{
	static const char *no;
	static bool made;

	if (!made)
		no = make();
	made = true;
	return no;
}

const char *vm_system_calls_to(const void *code)
{
	static union {
		struct kvm_msrs head;
		char room[sizeof(struct kvm_msrs) + MSRS * sizeof(struct kvm_msr_entry)];
	} msrs;
	const struct kvm_msr_entry entries[MSRS] = {
		{ .index = MSR_STAR, .data = (uint64_t)(VM_USER_DATA - 8) << 48 | (uint64_t)VM_CODE << 32 },
		{ .index = MSR_LSTAR, .data = (uint64_t)code },
		{ .index = MSR_FMASK, .data = 0x47700 }, /* as Linux: interrupts, traps, AC off */
	};

	msrs.head.nmsrs = MSRS;
	memcpy(msrs.room + sizeof(struct kvm_msrs), entries, sizeof(entries));
	return ioctl(vcpu, KVM_SET_MSRS, &msrs) == MSRS ? NULL : failed("KVM sets no target of SYSCALL");
}

static void too_late(int signal)
{
	(void)signal;
	late = 1;
}

/* Runs the machine until it leaves for another reason than a signal, for five seconds at most. */
static const char *run(void)
{
	const struct sigaction action = { .sa_handler = too_late };
	const char *no = NULL;

	late = 0;
	sigaction(SIGALRM, &action, NULL);
	alarm(5);
	while (!no && ioctl(vcpu, KVM_RUN, 0)) {
		if (errno != EINTR)
			no = failed("KVM does not run");
		else if (late)
			no = "it does not end in the virtual machine";
	}
	alarm(0);
	return no;
}

const char *vm_call(void (*function)(void *), void *argument)
{
	struct kvm_regs registers = {
		.rip = (uint64_t)vm_begin, .rax = (uint64_t)function, .rdi = (uint64_t)argument,
		.rsp = (uint64_t)stack + STACK, .rflags = 2,
	};
	const char *no;

	if (ioctl(vcpu, KVM_SET_REGS, &registers))
		return failed("KVM sets no registers");
	no = run();
	if (no || ioctl(vcpu, KVM_GET_REGS, &registers))
		return no ? no : failed("KVM gives no registers");
	if (state->exit_reason == KVM_EXIT_HLT && registers.rip == (uint64_t)vm_returned)
		return NULL;
	if (registers.rip == (uint64_t)vm_invalid_halted)
		return "the virtual machine lacks this instruction";
	if (registers.rip == (uint64_t)vm_refused_halted)
		return "the virtual machine refuses this instruction";
	snprintf(why, sizeof(why), "the virtual machine stopped, reason %u of linux/kvm.h", state->exit_reason);
	return why;
}
#endif
