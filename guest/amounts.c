// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "amounts.h"
#include "call_names.h"
#include "peek.h"
#include "ranges.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ARGUMENTS_FIELD 48 /* arg_start of /proc/PID/stat, which arg_end follows: proc(5) */
#define FAULTS_FIELD 10 /* minflt, which cminflt follows */

static const uint64_t returning[] = {
	SYS_read,      SYS_write,      SYS_pread64,    SYS_pwrite64,	  SYS_readv,	       SYS_writev,
	SYS_preadv,    SYS_pwritev,    SYS_preadv2,    SYS_pwritev2,	  SYS_recvfrom,	       SYS_sendto,
	SYS_recvmsg,   SYS_sendmsg,    SYS_recvmmsg,   SYS_sendmmsg,	  SYS_splice,	       SYS_tee,
	SYS_vmsplice,  SYS_sendfile,   SYS_msgrcv,     SYS_mq_timedreceive, SYS_copy_file_range, SYS_getdents64,
	SYS_getrandom, SYS_readlinkat, SYS_getxattr,   SYS_fgetxattr,	  SYS_listxattr,       SYS_flistxattr,
	SYS_io_submit, SYS_io_getevents, SYS_io_pgetevents, SYS_io_uring_enter, SYS_epoll_pwait, SYS_epoll_pwait2,
	SYS_process_madvise, SYS_process_vm_readv, SYS_process_vm_writev,
#ifdef __x86_64__
	SYS_getdents,  SYS_readlink,   SYS_epoll_wait,
#endif
};

/* Calls whose work is of a length or of a number of items, by the index of the argument that says it. */
static const struct {
	uint64_t number;
	unsigned int argument;
} given[] = {
	{ SYS_mmap, 1 },	  { SYS_munmap, 1 },	 { SYS_mprotect, 1 },	      { SYS_madvise, 1 },
	{ SYS_mremap, 2 },	  { SYS_mlock, 1 },	 { SYS_mlock2, 1 },	      { SYS_munlock, 1 },
	{ SYS_msync, 1 },	  { SYS_mincore, 1 },	 { SYS_mbind, 1 },	      { SYS_pkey_mprotect, 1 },
	{ SYS_remap_file_pages, 1 }, { SYS_set_mempolicy_home_node, 1 }, { SYS_shmget, 1 }, { SYS_move_pages, 1 },
	{ SYS_truncate, 1 },	  { SYS_ftruncate, 1 },	 { SYS_fallocate, 3 },	      { SYS_readahead, 2 },
	{ SYS_fadvise64, 2 },	  { SYS_sync_file_range, 2 }, { SYS_msgsnd, 2 },      { SYS_mq_timedsend, 2 },
	{ SYS_ppoll, 1 },	  { SYS_pselect6, 0 },
#ifdef __x86_64__
	{ SYS_poll, 1 },	  { SYS_select, 0 },
#endif
};

bool amount_returned(uint64_t number)
{
	return is_among(returning, COUNT(returning), number);
}

uint64_t amount_given(pid_t pid, uint64_t number, const uint64_t *args)
{
	struct range ranges[2];

	if (number == SYS_ioctl)
		return request_ranges(pid, args[1], args[2], ranges) ? ranges->length : 0;
	if (number == SYS_fcntl)
		return args[1] == F_SETPIPE_SZ ? args[2] : 0;
	for (size_t i = 0; i < COUNT(given); i++) {
		if (given[i].number == number)
			return args[given[i].argument];
	}
	return 0;
}

/* A field of /proc/PID/stat from the third on, and that behind it. Returns false if they cannot be read. */
static bool stat_fields(pid_t pid, int number, uint64_t *ret, uint64_t *ret_next)
{
	char path[64], text[1024];
	const char *at;
	size_t got = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (file) {
		got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	at = strrchr(text, ')'); /* behind the second field, which may have blanks */
	for (int field = 2; at && field < number; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %" SCNu64 " %" SCNu64, ret, ret_next) == 2;
}

uint64_t amount_executed(pid_t pid)
{
	uint64_t start, end;

	return stat_fields(pid, ARGUMENTS_FIELD, &start, &end) ? end - start : 0;
}

uint64_t faults_taken(pid_t pid)
{
	uint64_t own, of_children;

	return stat_fields(pid, FAULTS_FIELD, &own, &of_children) ? own + of_children : 0;
}

uint64_t clone_flags(pid_t pid, uint64_t number, const uint64_t *args)
{
	if (number == SYS_clone3)
		return word_at(pid, args[0]);
	return number == SYS_clone ? args[0] : 0;
}

bool kind_given(uint64_t number, const uint64_t *args, char ret[KIND_BYTES])
{
	static const struct {
		uint64_t number;
		unsigned int argument;
	} kinds[] = {
		{ SYS_madvise, 2 },   { SYS_process_madvise, 3 }, { SYS_mmap, 3 },    { SYS_mprotect, 2 },
		{ SYS_mremap, 3 },    { SYS_mlock2, 2 },	  { SYS_mlockall, 0 }, { SYS_msync, 2 },
		{ SYS_fallocate, 1 }, { SYS_fadvise64, 3 },	  { SYS_mbind, 2 },   { SYS_set_mempolicy, 0 },
		{ SYS_prctl, 0 },     { SYS_ioctl, 1 },		  { SYS_fcntl, 1 },   { SYS_membarrier, 0 },
	};

	if (number == SYS_socket || number == SYS_socketpair) {
		snprintf(ret, KIND_BYTES, "family-%u-type-%u", (uint32_t)args[0], (uint32_t)args[1]);
		return true;
	}
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (kinds[i].number == number) {
			snprintf(ret, KIND_BYTES, "0x%" PRIx32, (uint32_t)args[kinds[i].argument]);
			return true;
		}
	}
	return false;
}
