// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for QEMU: a main loop that is busy for a while and then polls, and
 * a CPU whose halt instruction is executed meanwhile. Prints what the main loop
 * did when the halt was let through, and for which blocks it was asked for.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "halt.h"

struct qemu_plugin_insn {
	uint64_t address;
	size_t size;
	uint8_t code[8];
};

struct qemu_plugin_tb {
	size_t count;
	struct qemu_plugin_insn insns[2];
};

static qemu_plugin_vcpu_udata_cb_t callback;
static atomic_bool polls;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->count;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
	return (struct qemu_plugin_insn *)&tb->insns[index];
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->code;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb, int flags,
					    void *data)
{
	(void)flags;
	(void)data;
	printf("waits at %#llx\n", (unsigned long long)insn->address);
	callback = cb;
}

static void *run_cpu(void *data)
{
	callback(0, NULL);
	printf("halted while the main loop %s\n", polls ? "polls" : "is busy");
	fflush(stdout);
	return data;
}

int main(void)
{
	static const struct qemu_plugin_tb plain = { 2, { { 0x10, 1, { 0x90 } }, { 0x11, 2, { 0xeb, 0x00 } } } };
	static const struct qemu_plugin_tb halting = { 2, { { 0x20, 1, { 0xfb } }, { 0x21, 1, { 0xf4 } } } };
	static const struct timespec busy = { 0, 100000000 }, asleep = { 0, 300000000 };
	const struct arch *arch = arch_find("x86_64");
	pthread_t cpu;

	halts_hold(arch, (struct qemu_plugin_tb *)&halting); /* nobody watches yet */
	halts_watch();
	halts_hold(arch, (struct qemu_plugin_tb *)&plain);
	halts_hold(arch, (struct qemu_plugin_tb *)&halting);
	if (!callback || pthread_create(&cpu, NULL, run_cpu, NULL))
		return 1;
	nanosleep(&busy, NULL);
	polls = true;
	while (ppoll(NULL, 0, &asleep, NULL) < 0)
		;
	return pthread_join(cpu, NULL);
}
