// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/vfs.h>

#include "amounts.h"
#include "arguments.h"
#include "call_arguments.h"
#include "call_names.h"
#include "peek.h"

#define MOST_REGIONS 128
#define PART_WORDS 512 /* of an array, which are read at once */
#define MOST_BYTES (1UL << 19) /* of an array: 64 Ki files to wait for */
#define MOST_STEPS (1UL << 26) /* for all arrays: less than a second of guest time */
#define PATH_BYTES 256
#define MOST_NAMES 1024
#define MASK_BYTES 64 /* of CPUs */
#define OPTION_BYTES 64 /* of a socket's option */
#define MOST_ARGUMENTS 4096
#define LOWEST_ADDRESS (1ULL << 32) /* below it are numbers, and addresses of a static program, which stay */

/* Kinds of values. */
enum { NUMBER, IN_REGION, IN_HEAP, ELSEWHERE };

static uint64_t numbers[2][CALL_NUMBERS];
static uint64_t unread[2][CALL_NUMBERS]; /* calls that were given more than is read */
static bool is_unread; /* the call at hand is one of them */
static uint64_t steps; /* for the arrays so far: words, bytes, or comparisons with a region */

/* Mappings that calls of the first process have made, the latest last; older ones give way. */
static struct {
	uint64_t start, length;
} regions[MOST_REGIONS];
static uint64_t made; /* regions */
static uint64_t heap, heap_end;

#define CALL(name, count, text) [__NR_##name] = { count, text, true },
static const struct {
	unsigned char count, text; /* the first arguments; which ones are names of files: a bit for each */
	bool known;
} calls[CALL_NUMBERS] = { CALLS_WITH_ARGUMENTS };
#undef CALL

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014): each bit of @value moves half of the others. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) + 0x9e3779b97f4a7c15ULL;
	hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
	return hash ^ (hash >> 31);
}

/* A number as it is; an address by where it points to, as kernels lay out memory in their own ways. */
static uint64_t mix_value(uint64_t hash, uint64_t value)
{
	uint64_t oldest = made > MOST_REGIONS ? made - MOST_REGIONS : 0;

	for (uint64_t i = made; i > oldest; i--) {
		uint64_t offset = value - regions[(i - 1) % MOST_REGIONS].start;

		if (offset < regions[(i - 1) % MOST_REGIONS].length)
			return mix(mix(mix(hash, IN_REGION), i), offset);
	}
	if (value - heap < heap_end - heap)
		return mix(mix(hash, IN_HEAP), value - heap);
	if (value >= LOWEST_ADDRESS && value < (uint64_t)-LOWEST_ADDRESS)
		return mix(hash, ELSEWHERE);
	return mix(mix(hash, NUMBER), value);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = mix(hash, (unsigned char)*text);
	return hash;
}

/* Which of all names this is, in the order in which they came; those behind the last that there is room for are one. */
static uint64_t place_of_name(uint64_t hash)
{
	static uint64_t known[MOST_NAMES];
	static uint64_t count;
	uint64_t i = 0;

	while (i < count && known[i] != hash)
		i++;
	if (i == count && count < MOST_NAMES)
		known[count++] = hash;
	return i;
}

/* The kind of file system that a name leads to, or its directory; a relative one is taken from the working directory. */
static uint64_t file_system_of(pid_t pid, const char *name)
{
	char path[PATH_BYTES + 64];
	struct statfs info;
	char *slash;

	snprintf(path, sizeof(path), "/proc/%d/%s/%s", pid, *name == '/' ? "root" : "cwd", name);
	if (!statfs(path, &info))
		return (uint64_t)info.f_type;
	slash = strrchr(path, '/');
	*slash = '\0';
	return statfs(path, &info) ? 0 : (uint64_t)info.f_type;
}

/* A name by its length, its depth, its file system and its place among all names: the name itself may be chance. */
static uint64_t mix_name(uint64_t hash, pid_t pid, uint64_t address)
{
	char text[PATH_BYTES + 1];
	uint64_t length = text_at(pid, address, text, sizeof(text)), depth = 0;

	for (const char *at = text; *at; at++)
		depth += *at == '/';
	hash = mix(hash, file_system_of(pid, text));
	return mix(mix(mix(hash, length), depth), place_of_name(mix_text(0, text)));
}

/* Reads a part of the @size bytes that a call is given at @address, from byte @at on. Returns its bytes, or 0. */
static size_t part_at(pid_t pid, uint64_t address, uint64_t at, uint64_t size, uint64_t ret[PART_WORDS])
{
	size_t most = PART_WORDS * sizeof(*ret);

	if (at >= size)
		return 0;
	if (at >= MOST_BYTES || steps >= MOST_STEPS) {
		is_unread = true;
		return 0;
	}
	return bytes_at(pid, address + at, ret, size - at < most ? size - at : most);
}

/*
 * Words of an array that are compared: word @from of each @stride; of numbers the bits of @mask, which is 0 for words
 * that may be addresses. PART_WORDS is a multiple of @stride.
 */
struct items {
	size_t from, stride;
	uint64_t mask;
};

static uint64_t mix_array(uint64_t hash, pid_t pid, uint64_t address, uint64_t count, const struct items *items)
{
	uint64_t each = items->mask ? 1 : 1 + (made < MOST_REGIONS ? made : MOST_REGIONS), words[PART_WORDS];
	size_t got;

	for (uint64_t at = 0; (got = part_at(pid, address, at, count * sizeof(*words), words)); at += got) {
		steps += each * got / sizeof(*words) / items->stride;
		for (size_t i = items->from; i < got / sizeof(*words); i += items->stride)
			hash = items->mask ? mix(hash, words[i] & items->mask) : mix_value(hash, words[i]);
	}
	return hash;
}

static uint64_t mix_words(uint64_t hash, pid_t pid, uint64_t address, uint64_t count)
{
	static const struct items words = { .stride = 1 };

	return mix_array(hash, pid, address, count, &words);
}

static uint64_t mix_bytes(uint64_t hash, pid_t pid, uint64_t address, uint64_t count)
{
	uint64_t words[PART_WORDS];
	size_t got;

	for (uint64_t at = 0; (got = part_at(pid, address, at, count, words)); at += got) {
		steps += got;
		for (size_t i = 0; i < got; i++)
			hash = mix(hash, ((unsigned char *)words)[i]);
	}
	return hash;
}

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
	case __NR_sendmsg:
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
	char text[PATH_BYTES + 1];
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
		text_at(pid, args[4], text, sizeof(text));
		return mix_text(hash, text);
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

void arguments_note(pid_t pid, enum caller caller, uint64_t number, const uint64_t *args, const char *target)
{
	uint64_t hash = number, *so_far;

	if (number >= CALL_NUMBERS || !calls[number].known || !strcmp(target, TARGET_OUTPUT))
		return;
	is_unread = false;
	for (unsigned int i = 0; i < calls[number].count; i++)
		hash = calls[number].text & 1U << i ? mix_name(hash, pid, args[i]) : mix_value(hash, args[i]);
	if (*target == '/')
		hash = mix_written(hash, pid, number, args);
	hash = mix_transfer(hash, pid, number, args);
	hash = mix_wait(hash, pid, number, args);
	hash = mix_setting(hash, pid, number, args);
	so_far = &numbers[caller][number];
	*so_far = caller == FIRST ? mix(*so_far, hash) : *so_far + hash;
	unread[caller][number] += is_unread;
}

void arguments_succeeded(uint64_t number, const uint64_t *args, uint64_t returned)
{
	if (number == __NR_mmap || number == __NR_mremap) {
		regions[made % MOST_REGIONS].start = returned;
		regions[made++ % MOST_REGIONS].length = args[number == __NR_mmap ? 1 : 2];
	} else if (number == __NR_brk) {
		heap = heap ? heap : returned;
		heap_end = returned;
	} else if (number == __NR_execve || number == __NR_execveat) {
		made = heap = heap_end = 0;
	}
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
