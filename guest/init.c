// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of the measured machine: mounts, loads modules, waits until the
 * machine is quiet, runs one workload, ends the machine. It reads /kassay.conf,
 * lines of key=value; an unknown key is an error.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "controls.h"
#include "emit.h"
#include "number.h"
#include "quiet.h"
#include "snapshot.h"
#include "zram_device.h"

#define CONF "/kassay.conf"
#define MAX_ARGS 64
#define MAX_MODULES 32
#define MAX_BACKGROUND 64
#define MAX_CONTROLS 16

struct conf {
	char text[64 * 1024];
	const char *stream;
	char *argv[MAX_ARGS + 1]; /* [0] is the program */
	size_t argc;
	const char *modules[MAX_MODULES];
	size_t module_count;
	uint64_t boot_delay_us;
	struct quiet_rule quiet;
	bool quiesce;
	uint64_t background; /* tasks that spin beside the workload, so that the instrument is seen to refuse */
	const char *controls[MAX_CONTROLS]; /* "PATH VALUE" */
	size_t control_count;
	uint64_t swap_bytes; /* of a zram swap area; 0 for none */
	uint64_t memcg_bytes; /* the workload's cgroup; 0 for none of its own */
	bool fifo; /* the workload and its servers have SCHED_FIFO */
	const char *setup; /* a program that comes before the machine is quiet, or NULL */
	bool snapshot; /* stop when quiet, and get the rest of the configuration after a restore */
};

static struct conf conf = {
	.stream = "/dev/ttyS1",
	.quiesce = true,
	.quiet = { .limit_ns = 200000, .windows = 3, .timeout_ms = 30000 },
};
static struct stream section;
static int stream_fd = -1;

static void stage(const char *name)
{
	emit_stage(stream_fd, name, raw_ns(CLOCK_BOOTTIME));
}

/* The end of the machine: QEMU runs with -no-reboot, so a reset is an exit. */
static __attribute__((noreturn)) void finish(void)
{
	if (stream_fd >= 0)
		tcdrain(stream_fd);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

/* Raw: the line discipline must not turn \n into \r\n. Returns 0 or -1 (errno). */
static int try_stream(void)
{
	struct termios raw;

	stream_fd = open(conf.stream, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (stream_fd < 0)
		return -1;
	if (tcgetattr(stream_fd, &raw))
		return 0; /* not a terminal: nothing to do */
	cfmakeraw(&raw);
	cfsetspeed(&raw, B115200);
	raw.c_cflag |= CLOCAL;
	tcsetattr(stream_fd, TCSANOW, &raw);
	return 0;
}

/* Says what went wrong in a section of its own, and ends. */
__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "kassay: init: %s\n", text);
	/* What is wrong with the configuration is found before the stream was opened. */
	if ((stream_fd >= 0 || !try_stream()) && section.size) {
		section.used = 0;
		section.records = 0;
		emit_text(&section, "error", NULL, "init: %s", text);
		stream_write(&section, "failure", stream_fd);
	}
	finish();
}

static void mount_one(const char *type, const char *path)
{
	mkdir(path, 0755);
	/* EBUSY: the kernel has mounted devtmpfs already. */
	if (mount(type, path, type, 0, NULL) && errno != EBUSY)
		fprintf(stderr, "kassay: init: mount %s: %s\n", path, strerror(errno));
}

static void mount_all(void)
{
	mount_one("devtmpfs", "/dev");
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("tmpfs", "/tmp");
}

/*
 * Before 6.12 a kernel takes SCHED_FIFO tasks, which workloads ask for as well, off the CPU for 50 ms of each second;
 * under icount that is idle time, which counts.
 */
static void stop_throttling(void)
{
	const char *why = 0;

	if (!access("/proc/sys/kernel/sched_rt_runtime_us", F_OK))
		why = control_set("/proc/sys/kernel/sched_rt_runtime_us -1");
	if (why)
		give_up("%s", why);
}

static uint64_t read_number(const char *key, const char *value)
{
	uint64_t number;

	if (!parse_number(value, &number))
		give_up(CONF ": %s=%.100s is not a whole number", key, value);
	return number;
}

static void add_arg(char *value)
{
	if (conf.argc == MAX_ARGS)
		give_up(CONF ": more than %d arguments", MAX_ARGS);
	conf.argv[conf.argc++] = value;
}

static void add_module(const char *value)
{
	if (conf.module_count == MAX_MODULES)
		give_up(CONF ": more than %d modules", MAX_MODULES);
	conf.modules[conf.module_count++] = value;
}

static void add_control(const char *value)
{
	if (conf.control_count == MAX_CONTROLS)
		give_up(CONF ": more than %d controls", MAX_CONTROLS);
	conf.controls[conf.control_count++] = value;
}

static void set_key(const char *key, char *value)
{
	if (!strcmp(key, "arg"))
		add_arg(value);
	else if (!strcmp(key, "module"))
		add_module(value);
	else if (!strcmp(key, "control"))
		add_control(value);
	else if (!strcmp(key, "swap_bytes"))
		conf.swap_bytes = read_number(key, value);
	else if (!strcmp(key, "memcg_bytes"))
		conf.memcg_bytes = read_number(key, value);
	else if (!strcmp(key, "fifo"))
		conf.fifo = read_number(key, value);
	else if (!strcmp(key, "stream"))
		conf.stream = value;
	else if (!strcmp(key, "setup"))
		conf.setup = value;
	else if (!strcmp(key, "snapshot"))
		conf.snapshot = read_number(key, value);
	else if (!strcmp(key, "quiesce"))
		conf.quiesce = read_number(key, value);
	else if (!strcmp(key, "background"))
		conf.background = read_number(key, value);
	else if (!strcmp(key, "boot_delay_us"))
		conf.boot_delay_us = read_number(key, value);
	else if (!strcmp(key, "quiet_limit_ns"))
		conf.quiet.limit_ns = read_number(key, value);
	else if (!strcmp(key, "quiet_windows"))
		conf.quiet.windows = read_number(key, value);
	else if (!strcmp(key, "quiet_timeout_ms"))
		conf.quiet.timeout_ms = read_number(key, value);
	else
		give_up(CONF ": unknown key %.100s", key);
}

static void read_lines(char *rest)
{
	char *line;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '=');

		if (*line == '\0' || *line == '#')
			continue;
		if (!value)
			give_up(CONF ": no key=value: %.100s", line);
		*value++ = '\0';
		set_key(line, value);
	}
}

static void read_conf(void)
{
	int fd = open(CONF, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, conf.text, sizeof(conf.text) - 1);

	if (got < 0)
		give_up(CONF ": %s", strerror(errno));
	close(fd);
	read_lines(conf.text);
	if (!conf.argc && !conf.snapshot)
		give_up(CONF ": no arg: nothing to run");
}

/* What a restored run was given, with a zero behind it. */
static char *restored_file(const char *name, size_t *size)
{
	const char *why = "";
	char *data = snapshot_file(name, size, &why);

	if (!data)
		give_up("snapshot: %s: %s", name, why);
	return data;
}

/* The program is no part of the snapshot, so that one snapshot serves every workload. */
static void place_program(void)
{
	size_t size = 0;
	char *data = restored_file("opt/kassay/program", &size);
	int fd = open(conf.argv[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		give_up("%s: %s", conf.argv[0], strerror(errno));
	munmap(data, size + 1);
}

/* The machine is saved here; what follows happens once for every restored run. */
static void wait_for_job(void)
{
	const char *why = "";
	size_t size;

	stage("saved"); /* tells this stop from a panic's */
	tcdrain(stream_fd);
	if (snapshot_stop(&why))
		give_up("snapshot: %s", why);
	read_lines(restored_file("opt/kassay/job", &size));
	if (!conf.argc)
		give_up("snapshot: no arg: nothing to run");
	place_program();
}

/* Where the code of /modules/NN-NAME.ko now is, for the host to name its functions. */
static void tell_sections(const char *module)
{
	char path[256], file[600];
	const char *name = strchr(module, '-');
	struct dirent *entry;
	DIR *sections;

	snprintf(path, sizeof(path), "/sys/module/%.*s/sections", name ? (int)strcspn(name + 1, ".") : 0, name ? name + 1 : "");
	sections = opendir(path);
	while (sections && (entry = readdir(sections))) {
		if (!strstr(entry->d_name, "text"))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		emit_file(&section, "boot", file);
	}
	if (sections)
		closedir(sections);
}

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		give_up("%s: %s", path, strerror(errno));
	/* EEXIST: built in, or loaded by a module before it. */
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		give_up("loading %s: %s", path, strerror(errno));
	close(fd);
	tell_sections(path);
}

/* What is to be there before the machine comes to rest; the program prints a sentence when it fails. */
static void run_setup(void)
{
	char text[400] = "";
	size_t used = 0;
	ssize_t got;
	int pipes[2], status = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC) || (child = fork()) < 0)
		give_up("%s: %s", conf.setup, strerror(errno));
	if (child == 0) {
		dup2(pipes[1], STDOUT_FILENO);
		execl(conf.setup, conf.setup, NULL);
		dprintf(STDOUT_FILENO, "%s: %s", conf.setup, strerror(errno));
		_exit(127);
	}
	close(pipes[1]);
	while (used < sizeof(text) - 1 && (got = read(pipes[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)got;
	close(pipes[0]);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		give_up("%s", used ? text : "the setup was killed");
}

static void wait_until_quiet(void)
{
	static char report[32 * 1024];

	if (conf.quiesce)
		quiet_wait(&conf.quiet, report, sizeof(report));
	else
		strcpy(report, "state skipped\n");
	emit(&section, "file", "boot:kassay/quiescence", report, strlen(report));
	emit_file(&section, "boot", "/proc/cmdline");
	emit_file(&section, "boot", "/proc/modules");
}

/* After the wait, so that a snapshot serves every setting; the machine then comes to rest again. */
static void set_controls(void)
{
	static char report[32 * 1024];
	const char *why = NULL;

	if (!conf.control_count && !conf.swap_bytes && !conf.memcg_bytes && !conf.fifo)
		return;
	for (size_t i = 0; !why && i < conf.control_count; i++)
		why = control_set(conf.controls[i]);
	if (!why && conf.swap_bytes)
		why = zram_device_on(conf.swap_bytes);
	if (!why && conf.memcg_bytes)
		why = memcg_make(conf.memcg_bytes);
	if (!why && conf.fifo)
		why = sched_fifo_all();
	if (why)
		give_up("%s", why);
	if (!conf.quiesce)
		return;
	quiet_wait(&conf.quiet, report, sizeof(report));
	emit(&section, "file", "boot:kassay/quiescence", report, strlen(report)); /* the last of two counts */
}

static void tell_boot(void)
{
	if (stream_write(&section, "boot", stream_fd))
		give_up("%s: %s", conf.stream, strerror(errno));
}

static pid_t start_spinning(void)
{
	pid_t child = fork();

	if (child < 0)
		give_up("fork: %s", strerror(errno));
	if (child)
		return child;
	prctl(PR_SET_NAME, "kassay-spin");
	for (volatile uint64_t turns = 0;; turns = turns + 1) /* gcc 16: turns++ does not use it */
		;
}

static void start_background(pid_t *children)
{
	if (conf.background > MAX_BACKGROUND)
		give_up(CONF ": background: more than %d tasks", MAX_BACKGROUND);
	for (uint64_t i = 0; i < conf.background; i++)
		children[i] = start_spinning();
}

static void stop_background(const pid_t *children)
{
	for (uint64_t i = 0; i < conf.background; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

/* Statuses 1 and 2 are the runner's own; it has written why. */
static void run_workload(void)
{
	pid_t child = fork();
	int status = 0;

	if (child < 0)
		give_up("fork: %s", strerror(errno));
	if (child == 0) {
		const char *why = conf.memcg_bytes ? memcg_enter() : NULL;

		if (!why && conf.fifo)
			why = sched_fifo(0);
		if (why) {
			fprintf(stderr, "kassay: init: %s\n", why);
			_exit(126);
		}
		execv(conf.argv[0], conf.argv);
		fprintf(stderr, "kassay: init: %s: %s\n", conf.argv[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		give_up("%s was killed by signal %d (%s)", conf.argv[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) > 2)
		give_up("%s ended with status %d", conf.argv[0], WEXITSTATUS(status));
}

int main(void)
{
	pid_t background[MAX_BACKGROUND];
	struct timespec delay;

	if (getpid() != 1) {
		fprintf(stderr, "init is for process 1 of a measured machine\n");
		return 2;
	}
	mount_all();
	if (stream_init(&section))
		give_up("no memory: %s", strerror(errno));
	read_conf();
	if (try_stream())
		give_up("%s: %s", conf.stream, strerror(errno));
	stop_throttling();
	for (size_t i = 0; i < conf.module_count; i++)
		load_module(conf.modules[i]);
	if (!conf.snapshot)
		stage("ready");
	if (conf.setup)
		run_setup();
	wait_until_quiet();
	if (conf.snapshot) {
		wait_for_job();
		stage("ready");
	}
	set_controls();
	tell_boot();
	stage("quiet");
	delay.tv_sec = (time_t)(conf.boot_delay_us / 1000000);
	delay.tv_nsec = (long)(conf.boot_delay_us % 1000000) * 1000;
	nanosleep(&delay, NULL);
	start_background(background);
	stage("measuring");
	run_workload();
	stop_background(background);
	stage("done");
	finish();
}
