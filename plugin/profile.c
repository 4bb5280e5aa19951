// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TCG plugin that counts what a guest executes between its region marks
 * (guest/clock.h). It reads the guest and changes nothing in it.
 *
 * Each block of code that is translated gets a call at its head, from the
 * first one of the boot on; until the region begins that call returns at once.
 * All of QEMU's functions that register or reset something are called before
 * the machine has CPUs, and never again: later on they kick every virtual CPU
 * (qemu_plugin_register_*_cb() and qemu_plugin_reset() through
 * async_run_on_cpu()), which ends the turn of the one that runs. With several
 * CPUs that is another order of their turns, so other digits; one CPU has no
 * turns, and is reset when its workload starts.
 *
 * Arguments: halts=still: the host does not change guest time (halt.h, host_time.h, turn.h)
 *            out=PATH points=PATH mode=none|counts|stacks|memory|trace
 *            boot=unseen: with one CPU the kernel is not looked at before the workload starts; a restored
 *            machine starts it so soon that it would only be translated twice
 *            users=own: whoever executes user code is measured, as of an application that has a server
 *            trace=PATH rounds=N[:N]... budget=BYTES, of mode=trace, which counts as mode=counts does
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "follow.h"
#include "halt.h"
#include "host_time.h"
#include "points.h"
#include "qemu_api.h"
#include "trace.h"
#include "turn.h"
#include "vcpu.h"
#include "warning.h"
#include "zone_lock.h"

int qemu_plugin_version = KASSAY_QEMU_API;

static struct {
	const struct arch *arch;
	unsigned int cpus;
	const char *out;
	const char *points;
	const char *mode;
	bool stacks;
	bool memory;
	bool tracing;
	bool counting; /* mode is not "none" */
	bool still;    /* guest time depends on guest code alone */
	qemu_plugin_id_t id;
	const char *trace;
	const char *rounds;
	uint64_t budget;
	enum { WAITING, COUNTING, ENDING, DONE } state;
	bool asleep;            /* one CPU, before the workload starts: its kernel is not looked at */
	bool resetting;         /* the plugin itself has code dropped */
	bool translated;        /* some code was, by the thread of the CPUs */
	bool started;           /* the workload did, and was seen to */
	bool open;              /* a round that a program marks itself has begun */
	uint64_t froms, tos;    /* in this execution of the program */
	unsigned int intervals; /* marks of a round */
	uint64_t marks;
} p = { .mode = "counts", .counting = true };

static void begin(unsigned int cpu)
{
	if (p.state != WAITING || !p.started)
		return;
	if (!p.intervals || p.intervals > MAX_INTERVALS) {
		fprintf(stderr, "kassay-profile: a round of %u intervals\n", p.intervals);
		return;
	}
	if (counters_open(p.out, p.tracing ? "counts" : p.mode, p.arch->target, p.intervals)) {
		fprintf(stderr, "kassay-profile: %s: %s\n", p.out, strerror(errno));
		return;
	}
	p.state = COUNTING;
	if (p.tracing)
		trace_start(p.arch->target, p.intervals);
	follow_start(p.cpus, cpu, p.stacks, p.intervals - 1);
}

static void end_round(void)
{
	counters_end_round();
	blocks_refresh();
}

/* The first mark of a round begins its first interval, the last one the gap to the next round. */
static void boundary(void)
{
	unsigned int interval = (unsigned int)(p.marks++ % p.intervals);

	if (!interval)
		end_round();
	follow_interval(interval);
	if (p.tracing)
		trace_turn(counters_round(), interval);
}

static void turn(bool open)
{
	p.open = open;
	boundary();
}

/* Rounds that are marked by a program: what does not alternate is left out. */
static void open_and_close(unsigned int cpu, unsigned int points)
{
	if (p.state != COUNTING || !follow_is_own(cpu))
		return;
	p.froms += (points & POINT_FROM) != 0;
	p.tos += (points & POINT_TO) != 0;
	if (p.open && points & POINT_TO && points_nth(POINT_TO, p.tos))
		turn(false);
	if (!p.open && points & POINT_FROM && points_nth(POINT_FROM, p.froms))
		turn(true);
}

static void on_point(unsigned int cpu, void *data)
{
	if (p.state == COUNTING)
		open_and_close(vcpu_number(cpu), (unsigned int)(uintptr_t)data);
}

static void on_lock(unsigned int cpu, void *data)
{
	(void)data;
	if (p.state != COUNTING)
		return;
	cpu = vcpu_number(cpu);
	zone_lock_taken(cpu, follow_running(cpu));
}

/* The measured task makes a process, which may become a program. */
static void begin_program(void)
{
	follow_fork();
	p.froms = 0;
	p.tos = 0;
	if (p.open)
		turn(false); /* the program before did not come to the end of its round */
	if (points_have(POINT_TO) && !points_have(POINT_FROM))
		turn(true);
}

static void finish(void)
{
	p.state = DONE;
	follow_totals();
	zone_lock_totals();
	counters_line("x marks %llu", (unsigned long long)p.marks);
	if (counters_close())
		fprintf(stderr, "kassay-profile: %s: not written: %s\n", p.out, strerror(errno));
	if (p.tracing && trace_close())
		fprintf(stderr, "kassay-profile: %s: not written: %s\n", p.trace, strerror(errno));
}

/* The guest was over before every CPU went on. */
static void on_exit_of_qemu(ON_EXIT)
{
	if (p.state == ENDING)
		finish();
}

static void end(unsigned int cpu)
{
	if (p.open)
		turn(false);
	p.state = ENDING;
	end_round();
	follow_interval(p.intervals - 1);
	if (p.tracing)
		trace_turn(0, p.intervals - 1);
	follow_end(cpu, finish);
}

static void listen(void);

static void wake(ON_RESET)
{
	p.asleep = p.resetting = false;
	listen();
}

static void on_mark(unsigned int cpu, void *data)
{
	cpu = vcpu_number(cpu);
	switch ((char)(uintptr_t)data) {
	case 'S':
		p.started = true;
		if (p.asleep) {
			p.resetting = true;
			qemu_plugin_reset(p.id, wake NO_DATA);
		}
		break;
	case 'N':
		p.intervals += p.state == WAITING;
		break;
	case 'B':
		begin(cpu);
		break;
	case 'W':
		if (p.state == COUNTING)
			follow_own(cpu);
		break;
	case 'O':
		open_and_close(cpu, POINT_FROM);
		break;
	case 'C':
		open_and_close(cpu, POINT_TO);
		break;
	case 'F':
		if (p.state == COUNTING)
			begin_program();
		break;
	case 'X':
		if (p.state == COUNTING)
			follow_exit(cpu);
		break;
	case 'P':
		if (p.state == COUNTING)
			boundary();
		break;
	case 'E':
		if (p.state == COUNTING)
			end(cpu);
		break;
	}
}

/*
 * QEMU 7.2 keeps the callbacks of an instruction whose helper leaves the block (popf, sti), and calls them for what the
 * helpers of later instructions access (cmpxchg16b): @points has to hold where the CPU is.
 */
static bool is_at(unsigned int cpu, unsigned int points)
{
	return points_at(follow_running(cpu)->start) & points;
}

/* The two accesses of the kernel's task switch; QEMU 7.2 tells of loads only where stores are asked for as well. */
static void on_switch(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	(void)data;
	cpu = vcpu_same(cpu);
	if ((p.state != COUNTING && p.state != ENDING) || !is_at(cpu, POINT_SWITCH))
		return;
	if (qemu_plugin_mem_is_store(info))
		follow_save(cpu, address);
	else
		follow_load(cpu, address);
}

static void on_birth(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	(void)data;
	cpu = vcpu_same(cpu);
	if (p.state == COUNTING && qemu_plugin_mem_is_store(info) && is_at(cpu, POINT_BIRTH))
		follow_birth(cpu, address);
}

/* @data: the roles of the instruction's function, and how it stores, of deferred work. */
static void on_deferred(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	unsigned int packed = (unsigned int)(uintptr_t)data;
	struct access_seen seen = {
		.store = qemu_plugin_mem_is_store(info), .how = packed & 3, .bytes = 1u << qemu_plugin_mem_size_shift(info),
		.address = address,
	};

	cpu = vcpu_same(cpu);
	if ((p.state == COUNTING || p.state == ENDING) && packed >> 2 & follow_running(cpu)->roles)
		follow_deferred(cpu, packed >> 2, seen);
}

static void on_access(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	(void)address;
	if (p.state == COUNTING)
		follow_access(vcpu_same(cpu), data, qemu_plugin_mem_is_store(info));
}

static void on_traced_access(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	trace_access(vcpu_same(cpu), data, info, address);
}

/* What an instruction needs besides its place in a block. @points: of that block. */
static void watch(struct qemu_plugin_insn *insn, const uint8_t *code, size_t size, bool user, unsigned int points)
{
	int letter = user ? p.arch->mark(code, size) : 0;

	if (letter)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, vcpu_flags(), (void *)(uintptr_t)letter);
	if (points & POINT_BIRTH)
		qemu_plugin_register_vcpu_mem_cb(insn, on_birth, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	if (points & POINT_SWITCH && p.arch->moves_stack(code, size))
		qemu_plugin_register_vcpu_mem_cb(insn, on_switch, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void watch_deferred(struct qemu_plugin_insn *insn, unsigned int packed)
{
	qemu_plugin_register_vcpu_mem_cb(insn, on_deferred, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 (void *)(uintptr_t)packed);
}

static qemu_plugin_vcpu_udata_cb_t callback_for(const struct block *block)
{
	if (p.stacks)
		return follow_block_and_calls;
	if (p.tracing)
		return follow_and_trace;
	return block_repeats(block) ? follow_repeat : follow_block;
}

static void count_block(struct qemu_plugin_tb *tb)
{
	struct block *block = block_of(p.arch, tb, p.stacks);
	unsigned int points = points_at(block->start);
	bool user = code_is_user(block->start);
	const uint8_t *code = block->code;
	bool watched = roles_have(block->roles, ROLE_QUEUES | ROLE_RUNS | ROLE_CANCELS);
	unsigned int roles = watched ? block->roles : 0;
	struct access *accesses = p.tracing ? trace_accesses(p.arch, block) : NULL;

	/* Before the block counts: it belongs to the round that it begins. */
	if (points & (POINT_FROM | POINT_TO))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_point, vcpu_flags(), (void *)(uintptr_t)points);
	block->zone = points & POINT_ZONE;
	if (follow_users && block->ending == END_SYSCALL_RETURN)
		block->attention |= ATTEND_SUCCESSOR;
	/* Before the block becomes the one that runs: who asks for the lock is the one before it. */
	if (points & POINT_LOCK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_lock, vcpu_flags(), NULL);
	/* Before the marks' callbacks, which run in the middle of the block they are in. */
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback_for(block), vcpu_flags(), block);
	for (uint32_t i = 0; i < block->count; code += block->lengths[i++]) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (user || points & (POINT_SWITCH | POINT_BIRTH))
			watch(insn, code, block->lengths[i], user, points);
		if (roles && p.arch->store(code, block->lengths[i]) != STORE_STACK)
			watch_deferred(insn, roles << 2 | p.arch->store(code, block->lengths[i]));
		if (p.memory)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, block);
		if (accesses)
			qemu_plugin_register_vcpu_mem_cb(insn, on_traced_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
							 &accesses[i]);
	}
}

/* Without icount the CPUs are threads of their own, and translate at the same time. */
static void on_translation(ON_TRANSLATION)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (p.still && !p.translated)
		turns_hold();
	p.translated = true;
	halts_hold(p.arch, tb);
	if (p.state == DONE || !p.counting || (p.asleep && !code_is_user(qemu_plugin_tb_vaddr(tb))))
		return;
	pthread_mutex_lock(&lock);
	count_block(tb);
	pthread_mutex_unlock(&lock);
}

/*
 * Translated code has filled its memory, and all of it is dropped: the turn of a CPU ends, and code that is translated
 * again sets accessed bits. The size of translated code depends on the host's CPU.
 */
static void on_flush(ON_FLUSH)
{
	static bool told;

	if (p.resetting || !p.translated) /* by this plugin; or before a restored machine goes on */
		return;
	if (!told)
		warn_of_host("QEMU dropped all translated code");
	told = true;
}

static void listen(void)
{
	if (p.still)
		qemu_plugin_register_flush_cb(p.id, on_flush NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(p.id, on_translation NO_DATA);
	qemu_plugin_register_atexit_cb(p.id, on_exit_of_qemu, NULL);
}

static int read_argument(const char *argument)
{
	const char *value = strchr(argument, '=');

	if (!value++)
		return -1;
	if (!strncmp(argument, "out=", 4))
		p.out = strdup(value);
	else if (!strncmp(argument, "points=", 7))
		p.points = strdup(value);
	else if (!strcmp(argument, "users=own"))
		follow_users = true;
	else if (!strcmp(argument, "boot=unseen"))
		p.asleep = true;
	else if (!strcmp(argument, "halts=still"))
		halts_watch(), host_time_hold(), p.still = true;
	else if (!strncmp(argument, "mode=", 5))
		p.mode = strdup(value);
	else if (!strncmp(argument, "trace=", 6))
		p.trace = strdup(value);
	else if (!strncmp(argument, "rounds=", 7))
		p.rounds = strdup(value);
	else if (!strncmp(argument, "budget=", 7))
		p.budget = strtoull(value, NULL, 10);
	else
		return -1;
	p.counting = strcmp(p.mode, "none");
	p.stacks = !strcmp(p.mode, "stacks");
	p.memory = !strcmp(p.mode, "memory");
	p.tracing = !strcmp(p.mode, "trace");
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	p.arch = arch_find(info->target_name);
	if (!p.arch) {
		fprintf(stderr, "kassay-profile: %s is not known; known are ", info->target_name);
		arch_list(stderr);
		fputc('\n', stderr);
		return -1;
	}
	p.cpus = info->system_emulation ? (unsigned int)info->system.max_vcpus : 1;
	for (int i = 0; i < argc; i++) {
		if (read_argument(argv[i])) {
			fprintf(stderr, "kassay-profile: unknown argument %s\n", argv[i]);
			return -1;
		}
	}
	if (p.counting && p.cpus > MAX_CPUS) {
		fprintf(stderr, "kassay-profile: more than %d CPUs\n", MAX_CPUS);
		return -1;
	}
	if (p.counting && (!p.out || !p.points || points_read(p.points))) {
		fprintf(stderr, "kassay-profile: out=PATH and points=PATH are needed\n");
		return -1;
	}
	if (p.tracing && (!p.trace || !p.rounds || trace_ask(p.trace, p.rounds, p.budget))) {
		fprintf(stderr, "kassay-profile: mode=trace needs trace=PATH, rounds=N[:N]... and budget=BYTES\n");
		return -1;
	}
	/* The turns of several CPUs depend on the moment at which blocks are translated again. */
	p.asleep &= p.counting && p.cpus == 1;
	p.id = id;
	if (p.counting)
		vcpu_start(p.arch, p.cpus);
	listen();
	return 0;
}
