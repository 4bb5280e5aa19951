// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "halt.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "block.h"
#include "warning.h"

#define PAUSE_NS 20000
#define PAUSES 250000 /* at least 5 s: a main loop that never polls must not hold the guest up at each halt */

static struct {
	bool watching;
	bool by_state; /* this host does not tell which system call a thread is in */
	int file;
} main_loop;

static int open_of_main_loop(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/%s", syscall(SYS_gettid), name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_line(char *line, size_t size)
{
	ssize_t length = pread(main_loop.file, line, size - 1, 0);

	if (length <= 0)
		return false;
	line[length] = '\0';
	return true;
}

void halts_watch(void)
{
	char line[512];

	main_loop.file = open_of_main_loop("syscall");
	if (main_loop.file < 0 || !read_line(line, sizeof(line))) {
		main_loop.by_state = true;
		main_loop.file = open_of_main_loop("stat");
	}
	main_loop.watching = main_loop.file >= 0;
	if (!main_loop.watching)
		warn_of_host("/proc does not show QEMU's main loop");
}

/* proc(5): "NUMBER ARGUMENTS...", or "running"; and "PID (NAME) STATE ...". */
static bool is_polling(void)
{
	char line[512];
	const char *name_end;

	if (!read_line(line, sizeof(line)))
		return true;
	if (!main_loop.by_state)
		return line[0] >= '0' && line[0] <= '9' && strtol(line, NULL, 10) == SYS_ppoll;
	name_end = strrchr(line, ')');
	return !name_end || name_end[2] == 'S';
}

static void on_halt(unsigned int cpu, void *data)
{
	static const struct timespec pause = { 0, PAUSE_NS };

	(void)cpu;
	(void)data;
	for (int i = 0; main_loop.watching && !is_polling(); i++) {
		nanosleep(&pause, NULL);
		if (i == PAUSES) {
			main_loop.watching = false;
			warn_of_host("QEMU's main loop never polls");
		}
	}
}

void halts_hold(const struct arch *arch, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	uint8_t code[32];
	size_t size = qemu_plugin_insn_size(last);

	if (!main_loop.watching || size > sizeof(code))
		return;
	insn_code(last, code, size);
	if (arch->ending(code, size, qemu_plugin_insn_vaddr(last)).ending == END_HALT)
		qemu_plugin_register_vcpu_insn_exec_cb(last, on_halt, QEMU_PLUGIN_CB_NO_REGS, NULL);
}
