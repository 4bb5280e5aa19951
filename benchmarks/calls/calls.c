// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls whose time on a host is measured and predicted, one a loop: a program of loops/main.c. Files are on a
 * tmpfs of its own at the same path everywhere, so the program needs root.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loops.h"

#define PLACE "/kassay-calls"
#define PAGE 4096L

static char buffer[16 * PAGE] __attribute__((aligned(4096)));
static int zero, null, file, event, waits, ends[2], there[2], back[2];
static char *mapped;
static struct stat status;
static sigset_t set;

static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(3);
	}
}

static void caught(int number)
{
	(void)number;
}

/* A process that sends back every byte, until this one ends. */
static void echo(void)
{
	char byte;
	pid_t child;

	need(!pipe(there) && !pipe(back), "pipe");
	child = fork();
	need(child >= 0, "fork");
	if (child)
		return;
	close(there[1]);
	close(back[0]);
	while (read(there[0], &byte, 1) == 1)
		need(write(back[1], &byte, 1) == 1, "write");
	_exit(0);
}

static __attribute__((constructor)) void prepare(void)
{
	struct epoll_event ready = { .events = EPOLLIN };
	struct sigaction action = { .sa_handler = caught };

	need(!mkdir(PLACE, 0755) || !access(PLACE, F_OK), PLACE);
	need(!mount("none", PLACE, "tmpfs", 0, NULL), "mount");
	need(!mkdir(PLACE "/directory", 0755), "mkdir");
	file = open(PLACE "/directory/file", O_RDWR | O_CREAT, 0644);
	need(file >= 0 && write(file, buffer, sizeof(buffer)) == sizeof(buffer), "file");
	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	need(zero >= 0 && null >= 0, "/dev");
	event = eventfd(0, 0);
	waits = epoll_create1(0);
	need(event >= 0 && !epoll_ctl(waits, EPOLL_CTL_ADD, event, &ready), "epoll");
	need(!pipe(ends) && !sigaction(SIGUSR1, &action, NULL), "pipe");
	mapped = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(mapped != MAP_FAILED, "mmap");
	echo();
}

static void lock_file(short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_len = 1 };

	need(!fcntl(file, F_SETLK, &lock), "fcntl");
}

static void map_pages(long pages)
{
	char *made = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i;

	for (i = 0; i < pages; i++)
		*(volatile char *)(made + i * PAGE) = 1;
	munmap(made, 16 * PAGE);
}

static void fork_wait(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	need(waitpid(child, NULL, 0) == child, "fork");
}

#define PATH PLACE "/directory/file"
#define DONE(x, count) need((x) == (count), #x)

#define CALLS(X)										\
	X(getppid, syscall(SYS_getppid))							\
	X(lseek, lseek(file, 0, SEEK_SET))							\
	X(read_zero64, DONE(read(zero, buffer, 64), 64))					\
	X(write_null, DONE(write(null, buffer, 1), 1))						\
	X(pread_4k, DONE(pread(file, buffer, PAGE, 0), PAGE))					\
	X(pwrite_4k, DONE(pwrite(file, buffer, PAGE, 0), PAGE))					\
	X(pread_64k, DONE(pread(file, buffer, 16 * PAGE, 0), 16 * PAGE))			\
	X(fstat, fstat(file, &status))								\
	X(stat, stat(PATH, &status))								\
	X(access, access(PATH, R_OK))								\
	X(open_close, close(open(PATH, O_RDWR)))						\
	X(dup_close, close(dup(file)))								\
	X(fcntl_lock, lock_file(F_WRLCK); lock_file(F_UNLCK))					\
	X(rename, rename(PATH, PLACE "/other"); rename(PLACE "/other", PATH))			\
	X(create_unlink, close(open(PLACE "/new", O_RDWR | O_CREAT, 0644)); unlink(PLACE "/new"))	\
	X(pipe_1, DONE(write(ends[1], buffer, 1), 1); DONE(read(ends[0], buffer, 1), 1))	\
	X(pipe_4k, DONE(write(ends[1], buffer, PAGE), PAGE); DONE(read(ends[0], buffer, PAGE), PAGE))	\
	X(eventfd, DONE(write(event, &(uint64_t){ 1 }, 8), 8); DONE(read(event, buffer, 8), 8))	\
	X(poll, poll(&(struct pollfd){ .fd = event, .events = POLLIN }, 1, 0))			\
	X(epoll, epoll_wait(waits, &(struct epoll_event){ 0 }, 1, 0))				\
	X(futex_wake, syscall(SYS_futex, buffer, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))		\
	X(sigprocmask, sigprocmask(SIG_BLOCK, NULL, &set))					\
	X(signal, kill(getpid(), SIGUSR1))							\
	X(getrandom, DONE(getrandom(buffer, 16, 0), 16))					\
	X(yield, sched_yield())									\
	X(switches, DONE(write(there[1], buffer, 1), 1); DONE(read(back[0], buffer, 1), 1))	\
	X(mmap_munmap, map_pages(0))								\
	X(touch_1, map_pages(1))								\
	X(touch_16, map_pages(16))								\
	X(madvise_absent, madvise(mapped, 16 * PAGE, MADV_DONTNEED))				\
	X(mprotect_absent, mprotect(mapped, 8 * PAGE, PROT_READ);				\
	  mprotect(mapped, 8 * PAGE, PROT_READ | PROT_WRITE))					\
	X(fork_wait, fork_wait())

CALLS(RUN)

static const struct loop calls[] = { CALLS(ENTRY) { 0 } };
const struct loop *const loop_groups[] = { calls, NULL };
