// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workload of a program that a user brought: a round is one execution, from just before the program is started to
 * just after it was waited for. Words after "--": arg=, env=, status=, limit_ms=, counted=, operations=; application=1
 * for the command of an application (application.h), which has its words and its files already.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "number.h"
#include "payload.h"
#include "program.h"
#include "relay.h"

/* Between the outputs of two executions; a record separator of ASCII, which no program prints. */
static const char separator[] = "\036\n";
static uint64_t no_groups;

static struct program program = { .limit_ms = 2000, .operations = 1 };
static struct application application;

static struct {
	struct script child;
	struct script between[MAX_APPLICATION_COMMANDS];
	uint64_t between_succeeded;
	uint64_t null;
	uint64_t user;
	uint64_t between_paths[MAX_APPLICATION_COMMANDS];
	uint64_t path; /* addresses and numbers as steps take them */
	uint64_t pid;
	uint64_t output;
	uint64_t status;
	uint64_t status_at;
	uint64_t succeeded;
	int own[3]; /* our standard files, while the program's stand in their place */
} w = { .own = { -1, -1, -1 } };

static int add_word(struct run *run, char **words, size_t *count, char *word)
{
	if (*count == MAX_PROGRAM_WORDS)
		return fail(run, "more than %d arguments or variables", MAX_PROGRAM_WORDS);
	words[(*count)++] = word;
	return 0;
}

static int set_number(struct run *run, const char *word)
{
	const char *value = strchr(word, '=');
	uint64_t number;

	if (!value || !parse_number(value + 1, &number))
		return fail(run, "%.100s is not understood", word);
	if (!strncmp(word, "status=", 7))
		program.status = number;
	else if (!strncmp(word, "limit_ms=", 9))
		program.limit_ms = number;
	else if (!strncmp(word, "counted=", 8))
		program.counted = number;
	else if (!strncmp(word, "operations=", 11))
		program.operations = number;
	else if (!strncmp(word, "application=", 12))
		program.application = number ? &application : NULL;
	else
		return fail(run, "unknown %.100s", word);
	return 0;
}

/* The words and variables of an application stand in a file of the image. */
static int read_application(struct run *run)
{
	const char *why = application_read(&application);
	size_t args = 0;

	if (why)
		return fail(run, APPLICATION_CONF ": %s", why);
	for (char **word = application.commands[COMMAND_RUN][0]; *word; word++) {
		if (add_word(run, program.argv, &args, *word))
			return -1;
	}
	memcpy(program.envp, application.envp, sizeof(application.envp));
	return 0;
}

static int read_words(struct run *run)
{
	static char *const usual[] = { "PATH=" PROGRAM_WORK, "HOME=" PROGRAM_WORK, "TMPDIR=" PROGRAM_WORK, "LANG=C" };
	size_t args = 0, variables = 0;

	program.argv[args++] = PROGRAM_PATH;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		program.envp[variables++] = usual[i];
	for (int i = 0; i < run->word_count; i++) {
		char *word = run->words[i];
		int status;

		if (!strncmp(word, "arg=", 4))
			status = add_word(run, program.argv, &args, word + 4);
		else if (!strncmp(word, "env=", 4))
			status = add_word(run, program.envp, &variables, word + 4);
		else if (!strncmp(word, "work=", 5))
			status = !(program.work = word + 5);
		else
			status = set_number(run, word);
		if (status)
			return status;
	}
	if (program.application) {
		if (read_application(run))
			return -1;
		variables = application.variables;
		run->owns_users = application.counts[COMMAND_SERVER] || application.start_line;
	}
	if (!run->stack_bytes)
		return 0;
	/* What lies above the stack moves it; so runs are perturbed whose stack is not ours. */
	program.envp[variables] = calloc(1, run->stack_bytes + sizeof("KASSAY_PAD="));
	if (!program.envp[variables])
		return fail(run, "no memory");
	memset(program.envp[variables], 'x', run->stack_bytes + sizeof("KASSAY_PAD=") - 1);
	memcpy(program.envp[variables], "KASSAY_PAD=", sizeof("KASSAY_PAD=") - 1);
	application.envp[variables] = program.envp[variables];
	return 0;
}

static int mount_tmpfs(struct run *run, const char *path, const char *options)
{
	if ((mkdir(path, 0755) && errno != EEXIST) || mount("tmpfs", path, "tmpfs", 0, options))
		return fail(run, "a tmpfs at %s: %s", path, strerror(errno));
	return 0;
}

static int make_directory(struct run *run)
{
	const char *directory = program.application ? application.directory : PROGRAM_WORK;

	if (mount_tmpfs(run, PROGRAM_OUTPUT, "size=" OUTPUT_BYTES))
		return -1;
	if (!program.application && (mount_tmpfs(run, PROGRAM_WORK, "") || mount_tmpfs(run, "/dev/shm", "") ||
				     payload_unpack(run, PROGRAM_PATH, PROGRAM_WORK)))
		return -1;
	return chdir(directory) ? fail(run, "%s: %s", directory, strerror(errno)) : 0;
}

/* The program inherits our standard files, so that nothing has to be opened in a round. */
static int redirect(struct run *run)
{
	int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, printed = -1;

	program.null = open("/dev/null", O_RDWR | O_CLOEXEC);
	program.output = open(PROGRAM_OUTPUT "/output", flags, 0644);
	program.errors = open(PROGRAM_OUTPUT "/errors", flags, 0644);
	if (program.null < 0 || program.output < 0 || program.errors < 0)
		return fail(run, "standard files: %s", strerror(errno));
	if (application.start_line) {
		printed = relay_start(application.start_line, application.end_line, program.output);
		if (printed < 0)
			return fail(run, "the relay of its output: %s", strerror(errno));
	}
	for (int i = 0; i < 3; i++)
		w.own[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
	dup2(program.null, 0);
	dup2(printed < 0 ? program.output : printed, 1);
	dup2(program.errors, 2);
	return 0;
}

static void restore(void)
{
	for (int i = 0; i < 3; i++) {
		if (w.own[i] >= 0)
			dup2(w.own[i], i);
	}
}

static void ignore(int number)
{
	(void)number;
}

/*
 * A program may signal all of its process group, in which we are as well. Handlers do not pass to what it executes, as
 * signals would that we ignore.
 */
static void outlive_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTERM };
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

static void limit_tasks(void)
{
	int fd = open("/proc/sys/kernel/threads-max", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "%d\n", MAX_PROGRAM_TASKS);
	close(fd);
}

/*
 * The child shares our memory until it executes the program, as that of posix_spawn() does; an identity of its own it
 * has from the first.
 */
static int become(struct run *run, struct script *script, uint64_t *path, char **argv, char **envp)
{
	if (program.application && application.user) {
		w.user = application.user;
		script_call(script, setgroups, &no_groups, 0);
		script_call(script, setgid, &w.user);
		script_call(script, setuid, &w.user);
	}
	*path = program.application ? (uintptr_t)argv[0] : (uintptr_t)PROGRAM_PATH;
	script_call(script, execve, path, (uintptr_t)argv, (uintptr_t)envp);
	return script_close(run, script);
}

static void start_and_wait(struct script *round, struct script *child)
{
	script_step(round, (struct step){ .run = step_fork, .number = SYS_clone, .start = &w.pid, .what = "clone",
					  .args = { CLONE_VM | CLONE_VFORK | SIGCHLD, (uintptr_t)child->steps } });
	script_step(round, (struct step){ .run = step_call, .number = SYS_wait4, .start = &w.pid, .what = "wait4",
					  .args = { (uintptr_t)&w.status } });
}

/* Counts in @succeeded whether the last one that was waited for ended with @status. */
static void count_status(struct script *round, uint64_t status, uint64_t *succeeded)
{
	w.status_at = (uintptr_t)&w.status;
	script_step(round, (struct step){ .run = step_count, .start = &w.status_at, .what = "the status",
					  .args = { 8, status << 8, 8, (uintptr_t)succeeded } });
}

/* What puts things back, in front of the first mark of a round. What it prints is not the program's output. */
static int add_between(struct run *run, struct script *round)
{
	w.null = (uint64_t)program.null;
	for (size_t i = 0; i < application.counts[COMMAND_BETWEEN]; i++) {
		struct script *child = &w.between[i];

		script_call(child, dup3, &w.null, 1, 0);
		if (become(run, child, &w.between_paths[i], application.commands[COMMAND_BETWEEN][i], application.envp))
			return -1;
		start_and_wait(round, child);
		count_status(round, 0, &w.between_succeeded);
	}
	return 0;
}

static int make_round(struct run *run)
{
	struct script *round = round_script(run);

	if (become(run, &w.child, &w.path, program.argv, program.envp) || add_between(run, round))
		return -1;
	phase_add(run, program.counted ? "region" : "run", program.operations);
	if (program.counted)
		run->boundaries = 2; /* of each round, marked by others */
	else
		mark(run);
	start_and_wait(round, &w.child);
	if (!program.counted)
		mark(run);
	count_status(round, program.status, &w.succeeded);
	w.output = (uint64_t)program.output;
	script_step(round, (struct step){ .run = step_call, .number = SYS_write, .start = &w.output,
					  .what = "program: its output, of which all executions together may have " OUTPUT_BYTES,
					  .args = { (uintptr_t)separator, sizeof(separator) - 1 } });
	return 0;
}

/* Commands outside of the region: those before the first execution, and the checks behind the last. */
static int execute(struct run *run, enum command_kind kind, const char *word)
{
	for (size_t i = 0; i < application.counts[kind]; i++) {
		char **argv = application.commands[kind][i];
		int status = application_execute(&application, argv, program.errors);

		if (status < 0)
			return fail(run, "%s: %s: %s", word, argv[0],
				    errno == ETIME ? "no end within its limit of guest time" : strerror(errno));
		if (status)
			return program_ended(run, &program, word, argv[0], status);
	}
	return 0;
}

static int setup(struct run *run)
{
	run->counted = false;
	if (read_words(run))
		return -1;
	/* Where things lie is chosen by chance, and would be chosen anew for each execution. */
	personality(ADDR_NO_RANDOMIZE);
	outlive_signals();
	limit_tasks();
	program_limit_spin(program.limit_ms);
	if (make_directory(run) || redirect(run))
		return -1;
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* the relay is not ours */
	if (execute(run, COMMAND_BETWEEN, "between") || program_watch(run, &program))
		return -1;
	if (ftruncate(program.output, 0) || ftruncate(program.errors, 0))
		return fail(run, "its output: %s", strerror(errno));
	run->counted = program.counted;
	if (make_round(run))
		return -1;
	program_limit(program.limit_ms * run_rounds(run));
	return 0;
}

static void verify(struct run *run)
{
	int status = (int)w.status;
	unsigned int tasks;

	program_limit(0);
	program_emit(run);
	if (program.work)
		emit_text(&run->stream, "file", "after:kassay/program/work", "%s\n", program.work);
	if (execute(run, COMMAND_CHECK, "check"))
		return;
	if (w.between_succeeded != run_rounds(run) * application.counts[COMMAND_BETWEEN])
		complain(run, "a command between the executions failed in a measured round");
	if (w.succeeded != run_rounds(run) && program_overran(&tasks))
		complain(run, "the executions together took longer than %" PRIu64 " ms of guest time and were ended",
			 program.limit_ms * run_rounds(run));
	else if (w.succeeded != run_rounds(run))
		complain(run, "%" PRIu64 " of %" PRIu64 " executions ended with status %" PRIu64 ", the last one with %s %d",
			 w.succeeded, run_rounds(run), program.status, WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void teardown(struct run *run)
{
	(void)run;
	program_limit(0);
	restore();
}

const struct workload workload = {
	.name = "program",
	.summary = "a program that the user brought",
	.subject = "Running the program",
	.state = "none of its own",
	.phases = { { "run", "execution", "From just before the program is started to just after it was waited for.", true } },
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
