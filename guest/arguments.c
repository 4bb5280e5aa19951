// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "amounts.h"
#include "arguments.h"
#include "call_arguments.h"
#include "call_names.h"
#include "peek.h"
#include "ring.h"
#include "sums.h"

#define MASK_BYTES 64 /* of CPUs */
#define OPTION_BYTES 64 /* of a socket's option */
#define CHOSEN_PORT 32768 /* from here on the kernel may have chosen a port */
#define MOST_ARGUMENTS 4096
#define SET_STRING 1 /* FSCONFIG_SET_STRING, which older headers lack */
#define PATH_BENEATH 1 /* LANDLOCK_RULE_PATH_BENEATH */

static uint64_t numbers[2][CALL_NUMBERS];
static uint64_t unread[2][CALL_NUMBERS]; /* calls that were given more than is read */

#define CALL(name, count, text) [__NR_##name] = { count, text, true },
static const struct {
	unsigned char count, text; /* the first arguments; which ones are names of files: a bit for each */
	bool known;
} calls[CALL_NUMBERS] = { CALLS_WITH_ARGUMENTS };
#undef CALL

/* The text that a call writes into a file of the kernel: a command. */
static uint64_t mix_written(uint64_t hash, pid_t pid, uint64_t number, const uint64_t *args)
{
	uint64_t vectors[PART_WORDS]; /* struct iovec: address and length */
	size_t got;

	switch (number) {
	case __NR_write:
	case __NR_pwrite64:
		return mix_bytes(hash, pid, args[1], args[2]);
	case __NR_writev:
	case __NR_pwritev:
	case __NR_pwritev2:
		for (uint64_t at = 0; (got = part_at(pid, args[1], at, 2 * args[2] * sizeof(*vectors), vectors)); at += got) {
			for (size_t i = 0; i + 1 < got / sizeof(*vectors); i += 2)
				hash = mix_bytes(hash, pid, vectors[i], vectors[i + 1]);
		}
		return hash;
	default:
		return hash;
	}
}

/* The address of a socket. A port may be the kernel's choice; of kinds that are not known here the length counts. */
static uint64_t mix_address(uint64_t hash, pid_t pid, uint64_t address, uint64_t size)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
		struct sockaddr_nl nl;
	} at = { 0 };
	uint16_t port;

	bytes_at(pid, address, &at, size < sizeof(at) ? size : sizeof(at));
	port = ntohs(at.in.sin_port); /* that of in6, too */
	hash = mix(hash, at.any.sa_family);
	switch (at.any.sa_family) {
	case AF_INET:
		return mix(mix(hash, port < CHOSEN_PORT ? port : CHOSEN_PORT), at.in.sin_addr.s_addr);
	case AF_INET6:
		hash = mix(hash, port < CHOSEN_PORT ? port : CHOSEN_PORT);
		return mix_bytes(hash, pid, address + offsetof(struct sockaddr_in6, sin6_addr), sizeof(at.in6.sin6_addr));
	case AF_NETLINK:
		return mix(hash, at.nl.nl_groups);
	case AF_UNIX:
		hash = mix(hash, size);
		return at.any.sa_data[0] ? mix_name(hash, pid, address + offsetof(struct sockaddr, sa_data)) : hash;
	default:
		return mix(hash, size);
	}
}

/* The operation, the flags, the file, the offset, the memory and the length of each struct io_uring_sqe. */
static uint64_t mix_submissions(uint64_t hash, pid_t pid, const uint64_t *args)
{
	uint32_t count;

	if (!ring_submits(pid, args, &count))
		return hash;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t entry = ring_entry(pid, args, i), first = word_at(pid, entry);

		hash = mix(mix(hash, (uint32_t)first), first >> 32);
		hash = mix_words(hash, pid, entry + sizeof(first), 2);
		hash = mix(hash, word_at(pid, entry + 3 * sizeof(first)));
	}
	return hash;
}

/* How many arguments a new program is given; of its variables kassay's perturbed runs have one more. */
static uint64_t mix_count(uint64_t hash, pid_t pid, uint64_t address)
{
	uint64_t count = 0;

	while (count < MOST_ARGUMENTS && word_at(pid, address + count * sizeof(uint64_t)))
		count++;
	return mix(hash, count);
}

/* The instructions of a filter, of 8 bytes each: a struct sock_fprog has their number, and where they are. */
static uint64_t mix_filter(uint64_t hash, pid_t pid, uint64_t address)
{
	uint64_t length = word_at(pid, address) & 0xffff, start = word_at(pid, address + 8);

	return mix(mix_bytes(hash, pid, start, length * sizeof(uint64_t)), length);
}

/* The operation, the file, the memory, the length and the offset of each struct iocb. */
static uint64_t mix_requests(uint64_t hash, pid_t pid, uint64_t address, uint64_t count)
{
	uint64_t requests[PART_WORDS];
	size_t got;

	for (uint64_t at = 0; (got = part_at(pid, address, at, count * sizeof(*requests), requests)); at += got) {
		for (size_t i = 0; i < got / sizeof(*requests); i++)
			hash = mix_words(hash, pid, requests[i] + 16, 4);
	}
	return hash;
}

/* What calls that move data are given in memory: buffers, offsets, messages and requests. */
static uint64_t mix_transfer(uint64_t hash, pid_t pid, uint64_t number, const uint64_t *args)
{
	static const struct items messages = { .from = 3, .stride = 8 }; /* struct mmsghdr: msg_iovlen */

	switch (number) {
	case __NR_readv:
	case __NR_writev:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
	case __NR_process_madvise:
	case __NR_vmsplice:
		return mix_words(hash, pid, args[1], 2 * args[2]); /* struct iovec */
	case __NR_process_vm_readv:
	case __NR_process_vm_writev:
		return mix_words(mix_words(hash, pid, args[1], 2 * args[2]), pid, args[3], 2 * args[4]);
	case __NR_copy_file_range:
	case __NR_splice: /* two offsets */
		return mix_words(mix_words(hash, pid, args[1], args[1] != 0), pid, args[3], args[3] != 0);
	case __NR_sendfile:
		return mix_words(hash, pid, args[2], args[2] != 0);
	case __NR_bind:
	case __NR_connect:
		return mix_address(hash, pid, args[1], (uint32_t)args[2]);
	case __NR_sendto:
		return args[4] ? mix_address(hash, pid, args[4], (uint32_t)args[5]) : hash;
	case __NR_io_uring_enter:
		return mix_submissions(hash, pid, args);
	case __NR_sendmsg:
		if (word_at(pid, args[1])) /* msg_name */
			hash = mix_address(hash, pid, word_at(pid, args[1]), half_at(pid, args[1] + 8));
		/* fallthrough */
	case __NR_recvmsg:
		hash = mix_value(hash, word_at(pid, args[1] + 24));	  /* msg_iovlen */
		return mix_value(hash, word_at(pid, args[1] + 40)); /* msg_controllen */
	case __NR_sendmmsg:
	case __NR_recvmmsg:
		return mix_array(hash, pid, args[1], messages.stride * (uint32_t)args[2], &messages);
	case __NR_msgsnd:
		return mix(hash, word_at(pid, args[1])); /* mtype */
	case __NR_semop:
	case __NR_semtimedop:
		return mix_bytes(hash, pid, args[1], 6 * (uint64_t)(uint32_t)args[2]); /* struct sembuf */
	case __NR_io_submit:
		return mix_requests(hash, pid, args[2], args[1]);
	case __NR_move_pages:
		return mix_words(hash, pid, args[2], args[1]);
	case __NR_cachestat:
		return mix_words(hash, pid, args[1], 2);
	case __NR_mq_open:
		return args[1] & O_CREAT ? mix_words(hash, pid, args[3], args[3] ? 3 : 0) : hash; /* struct mq_attr */
	case __NR_mq_getsetattr:
		return mix_words(hash, pid, args[1], args[1] != 0); /* mq_flags */
	default:
		return hash;
	}
}

/* Times and sets of files to wait for. The file and the events of a struct pollfd are compared, what the kernel writes
 * is not. Absolute times are chance.
 */
static uint64_t mix_wait(uint64_t hash, pid_t pid, uint64_t number, const uint64_t *args)
{
	static const struct items polled = { .stride = 1, .mask = 0xffffffffffffULL };

	switch (number) {
	case __NR_epoll_ctl:
		return args[3] ? mix(hash, half_at(pid, args[3])) : hash; /* the events of a struct epoll_event */
	case __NR_pselect6:
#ifdef __NR_select
	case __NR_select:
#endif
		for (unsigned int set = 1; set <= 3; set++)
			hash = mix_words(hash, pid, args[set], args[set] ? (args[0] + 63) / 64 : 0); /* struct fd_set */
		return hash;
	case __NR_ppoll:
#ifdef __NR_poll
	case __NR_poll:
#endif
		return mix_array(hash, pid, args[0], (uint32_t)args[1], &polled);
	case __NR_nanosleep:
		return mix_words(hash, pid, args[0], 2);
	case __NR_clock_nanosleep:
		return args[1] ? mix(hash, args[0]) : mix_words(mix(hash, args[0]), pid, args[2], 2);
	case __NR_timer_settime:
	case __NR_timerfd_settime:
		return args[1] ? hash : mix_words(hash, pid, args[2], 4); /* struct itimerspec */
	case __NR_setitimer:
		return mix_words(hash, pid, args[1], args[1] ? 4 : 0);
	case __NR_epoll_pwait2:
		return mix_words(hash, pid, args[3], args[3] ? 2 : 0);
	case __NR_rt_sigprocmask:
	case __NR_signalfd4:
		return mix_words(hash, pid, args[1], args[1] != 0);
	default:
		return hash;
	}
}

/* What the other calls are given in memory: programs, policies, limits, filters and requests. */
static uint64_t mix_setting(uint64_t hash, pid_t pid, uint64_t number, const uint64_t *args)
{
	uint64_t size;

	switch (number) {
	case __NR_openat2:
		return mix_words(hash, pid, args[2], args[3] / sizeof(uint64_t)); /* struct open_how, with its size */
	case __NR_io_uring_register:
		if (args[1] != IORING_REGISTER_BUFFERS && args[1] != IORING_REGISTER_FILES)
			return hash;
		return mix_words(hash, pid, args[2], args[1] == IORING_REGISTER_FILES ? args[3] / 2 : 2 * args[3]);
	case __NR_rt_sigaction:
		return mix_words(hash, pid, args[1], args[1] ? 2 : 0); /* the handler and the flags */
	case __NR_execve:
		return mix_count(hash, pid, args[1]);
	case __NR_execveat:
		return mix_count(hash, pid, args[2]);
	case __NR_clone:
	case __NR_clone3:
		return mix(hash, clone_flags(pid, number, args));
	case __NR_fcntl: /* struct flock up to its length; the process behind it is chance */
		return args[1] == F_SETLK || args[1] == F_SETLKW || args[1] == F_GETLK ? mix_words(hash, pid, args[2], 3) : hash;
	case __NR_ioctl:
		if (_IOC_DIR(args[1]) & _IOC_WRITE)
			return mix_words(hash, pid, args[2], _IOC_SIZE(args[1]) / sizeof(uint64_t));
		return hash;
	case __NR_mount:
		return mix_text_at(mix_text_at(hash, pid, args[2]), pid, args[4]); /* the type and the data */
	case __NR_fsopen:
		return mix_text_at(hash, pid, args[0]);
	case __NR_fsconfig: /* the name of a parameter, and its value if that is a text */
		return mix_text_at(mix_text_at(hash, pid, args[2]), pid, args[1] == SET_STRING ? args[3] : 0);
	case __NR_mount_setattr:
		return mix_words(hash, pid, args[3], args[4] / sizeof(uint64_t));
	case __NR_landlock_create_ruleset:
		return mix_words(hash, pid, args[0], args[1] / sizeof(uint64_t));
	case __NR_landlock_add_rule: /* the rights, and a directory or a port */
		return mix_bytes(hash, pid, args[2], args[1] == PATH_BENEATH ? 12 : 16);
	case __NR_setxattr:
	case __NR_lsetxattr:
	case __NR_fsetxattr:
		return mix_bytes(mix_text_at(hash, pid, args[1]), pid, args[2], args[3]);
	case __NR_getxattr:
	case __NR_lgetxattr:
	case __NR_fgetxattr:
	case __NR_removexattr:
	case __NR_lremovexattr:
	case __NR_fremovexattr:
		return mix_text_at(hash, pid, args[1]);
	case __NR_setrlimit:
		return mix_words(hash, pid, args[1], 2);
	case __NR_sched_setparam:
		return mix(hash, half_at(pid, args[1]));
	case __NR_setpriority:
	case __NR_ioprio_set: /* the process is chance */
		return mix(mix(hash, args[0]), args[2]);
	case __NR_set_mempolicy_home_node:
		return mix(hash, args[2]);
	case __NR_sched_setscheduler:
		return mix(mix(hash, args[1]), half_at(pid, args[2]));
	case __NR_sched_setattr:
		return mix_words(hash, pid, args[1], half_at(pid, args[1]) / sizeof(uint64_t)); /* its size */
	case __NR_sched_setaffinity:
		return mix_bytes(hash, pid, args[2], args[1] < MASK_BYTES ? args[1] : MASK_BYTES);
	case __NR_prlimit64:
		return mix_words(mix(hash, args[1]), pid, args[2], args[2] ? 2 : 0);
	case __NR_perf_event_open:
		return mix_words(hash, pid, args[0], half_at(pid, args[0] + 4) / sizeof(uint64_t)); /* its size */
	case __NR_bpf:
		return mix_words(hash, pid, args[1], args[2] / sizeof(uint64_t));
	case __NR_setsockopt:
		if (args[1] == SOL_SOCKET && args[2] == SO_ATTACH_FILTER)
			return mix_filter(hash, pid, args[3]);
		size = (uint32_t)args[4];
		return mix_bytes(hash, pid, args[3], size < OPTION_BYTES ? size : OPTION_BYTES);
	case __NR_prctl:
		return args[0] == PR_SET_SECCOMP ? mix_filter(hash, pid, args[2]) : hash;
	case __NR_seccomp:
		return args[0] == SECCOMP_SET_MODE_FILTER ? mix_filter(hash, pid, args[2]) : hash;
	case __NR_mbind:
		return mix_words(hash, pid, args[3], args[3] != 0);
	case __NR_set_mempolicy:
		return mix_words(hash, pid, args[1], args[1] != 0);
	default:
		return hash;
	}
}

void arguments_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target,
		    bool hidden)
{
	uint64_t hash = number, *so_far;

	if (number >= CALL_NUMBERS || !calls[number].known || !strcmp(target, TARGET_OUTPUT))
		return;
	sum_unread = hidden;
	for (unsigned int i = 0; i < calls[number].count; i++)
		hash = calls[number].text & 1U << i ? mix_name(hash, pid, args[i]) : mix_value(hash, args[i]);
	if (*target == '/')
		hash = mix_written(hash, pid, number, args);
	hash = mix_transfer(hash, pid, number, args);
	hash = mix_wait(hash, pid, number, args);
	hash = mix_setting(hash, pid, number, args);
	so_far = &numbers[caller][number];
	*so_far = caller == FIRST ? mix(*so_far, hash) : *so_far + hash;
	unread[caller][number] += sum_unread;
}

int arguments_name(uint64_t number)
{
	unsigned int text = number < CALL_NUMBERS ? calls[number].text : 0;

	return text ? 31 - __builtin_clz(text) : -1;
}

uint64_t arguments_number(enum caller caller, uint64_t number)
{
	return number < CALL_NUMBERS ? numbers[caller][number] : 0;
}

uint64_t arguments_unread(enum caller caller, uint64_t number)
{
	return number < CALL_NUMBERS ? unread[caller][number] : 0;
}
