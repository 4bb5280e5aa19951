// SPDX-License-Identifier: GPL-2.0-only
/*
 * A TCG plugin that counts what a guest executes between its region marks
 * (guest/clock.h). It reads the guest and changes nothing in it.
 *
 * Until the region begins it only looks for marks in user code; then it has
 * all code translated again and follows every block. QEMU translates slower
 * for a plugin that looks at all: with ready=PATH that begins only when the
 * guest's result stream says that it is ready, long before the workload. On a
 * busy host that may be noticed too late: the first mark ('S') is then missed,
 * and no profile is made. With early=on all code is ready to be followed from
 * the start: cheaper where little runs before the region, as in a machine
 * that was restored.
 *
 * Arguments: out=PATH points=PATH mode=counts|stacks|memory early=on|off ready=PATH
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"
#include "follow.h"
#include "points.h"
#include "qemu_api.h"

int qemu_plugin_version = KASSAY_QEMU_API;

static struct {
	qemu_plugin_id_t id;
	enum target target;
	const char *target_name;
	unsigned int cpus;
	const char *out;
	const char *points;
	const char *mode;
	const char *ready;
	bool stacks;
	bool memory;
	bool early;
	enum { WAITING, COUNTING, ENDING, DONE } state;
	bool started;           /* the workload did, and was seen to */
	unsigned int intervals; /* marks of a round */
	uint64_t marks;
} p = { .mode = "counts" };

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data);

static void listen(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
}

static void begin(unsigned int cpu)
{
	if (p.state != WAITING || !p.started)
		return;
	if (!p.intervals || p.intervals > MAX_INTERVALS) {
		fprintf(stderr, "kassay-profile: a round of %u intervals\n", p.intervals);
		return;
	}
	if (counters_open(p.out, p.mode, p.target_name, p.intervals)) {
		fprintf(stderr, "kassay-profile: %s: %s\n", p.out, strerror(errno));
		return;
	}
	p.state = COUNTING;
	follow_start(p.cpus, cpu, p.stacks, p.intervals - 1);
	if (!p.early)
		qemu_plugin_reset(p.id, listen); /* throws away all translations */
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
}

static void finish(void)
{
	p.state = DONE;
	follow_totals();
	counters_line("x marks %llu", (unsigned long long)p.marks);
	if (counters_close())
		fprintf(stderr, "kassay-profile: %s: not written: %s\n", p.out, strerror(errno));
}

/* The guest was over before every CPU went on. */
static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	if (p.state == ENDING)
		finish();
}

static void end(unsigned int cpu)
{
	p.state = ENDING;
	end_round();
	follow_interval(p.intervals - 1);
	follow_end(cpu, finish);
}

static void on_mark(unsigned int cpu, void *data)
{
	switch ((char)(uintptr_t)data) {
	case 'S':
		p.started = true;
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

/* The two accesses of the kernel's task switch; QEMU 7.2 tells of loads only where stores are asked for as well. */
static void on_switch(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	(void)data;
	if (p.state != COUNTING && p.state != ENDING)
		return;
	if (qemu_plugin_mem_is_store(info))
		follow_save(cpu, address);
	else
		follow_load(cpu, address);
}

static void on_access(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	(void)address;
	if (p.state == COUNTING)
		follow_access(cpu, data, qemu_plugin_mem_is_store(info));
}

/* What an instruction needs besides its place in a block. */
static void watch(struct qemu_plugin_insn *insn, const uint8_t *code, size_t size, bool user, bool switches)
{
	int letter = user ? code_mark(p.target, code, size) : 0;

	if (letter)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)letter);
	if (switches && code_moves_stack(p.target, code, size))
		qemu_plugin_register_vcpu_mem_cb(insn, on_switch, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

/* Marks are in user code only; most of what is translated before the region is the kernel's. */
static void look_for_marks(struct qemu_plugin_tb *tb)
{
	uint8_t code[16];

	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);

		if (size > sizeof(code))
			continue;
		block_read_code(insn, code, size);
		watch(insn, code, size, true, false);
	}
}

static qemu_plugin_vcpu_udata_cb_t callback_for(const struct block *block)
{
	if (p.stacks)
		return follow_block_and_calls;
	return block_repeats(block) ? follow_repeat : follow_block;
}

static void count_block(struct qemu_plugin_tb *tb)
{
	struct block *block = block_of(p.target, tb, p.stacks);
	bool user = code_is_user(block->start), switches = points_at(block->start) & POINT_SWITCH;
	const uint8_t *code = block->code;

	/* Before the marks' callbacks, which run in the middle of the block they are in. */
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback_for(block), QEMU_PLUGIN_CB_NO_REGS, block);
	for (uint32_t i = 0; i < block->count; code += block->lengths[i++]) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (user || switches)
			watch(insn, code, block->lengths[i], user, switches);
		if (p.memory)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, block);
	}
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	if (p.state == COUNTING || p.state == ENDING || (p.state == WAITING && p.early))
		count_block(tb);
	else if (p.state == WAITING && code_is_user(qemu_plugin_tb_vaddr(tb)))
		look_for_marks(tb);
}

static bool is_ready(void)
{
	static const char word[] = "KASSAY stage ready";
	static char said[1 << 16];
	int fd = open(p.ready, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, said, sizeof(said));

	if (fd >= 0)
		close(fd);
	return got > 0 && memmem(said, (size_t)got, word, sizeof(word) - 1);
}

static void *wait_until_ready(void *data)
{
	while (!is_ready())
		usleep(1000);
	listen(p.id);
	return data;
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
	else if (!strncmp(argument, "mode=", 5))
		p.mode = strdup(value);
	else if (!strncmp(argument, "ready=", 6))
		p.ready = strdup(value);
	else if (!strncmp(argument, "early=", 6))
		p.early = !strcmp(value, "on");
	else
		return -1;
	p.stacks = !strcmp(p.mode, "stacks");
	p.memory = !strcmp(p.mode, "memory");
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	pthread_t thread;

	p.id = id;
	p.target_name = strdup(info->target_name);
	p.target = !strcmp(info->target_name, "aarch64") ? TARGET_AARCH64 : TARGET_X86_64;
	p.cpus = info->system_emulation ? (unsigned int)info->system.max_vcpus : 1;
	for (int i = 0; i < argc; i++) {
		if (read_argument(argv[i])) {
			fprintf(stderr, "kassay-profile: unknown argument %s\n", argv[i]);
			return -1;
		}
	}
	if (p.cpus > MAX_CPUS) {
		fprintf(stderr, "kassay-profile: more than %d CPUs\n", MAX_CPUS);
		return -1;
	}
	if (!p.out || !p.points || points_read(p.points)) {
		fprintf(stderr, "kassay-profile: out=PATH and points=PATH are needed\n");
		return -1;
	}
	if (!p.ready)
		listen(id);
	else if (pthread_create(&thread, NULL, wait_until_ready, NULL))
		return -1;
	return 0;
}
