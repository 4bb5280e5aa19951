// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cached.h"
#include "call_names.h"
#include "peek.h"
#include "ranges.h"

#define MOST_VECTORS 1024 /* UIO_MAXIOV */

/* struct cachestat_range and struct cachestat of linux/mman.h, Linux 6.5 */
struct asked {
	uint64_t offset, length;
};

struct answer {
	uint64_t cached, dirty, writeback, evicted, recently_evicted; /* pages */
};

static uint64_t sum_of_vectors(pid_t pid, uint64_t address, uint64_t count)
{
	static struct iovec vectors[MOST_VECTORS];
	size_t most = count < MOST_VECTORS ? count : MOST_VECTORS;
	size_t got = bytes_at(pid, address, vectors, most * sizeof(*vectors)) / sizeof(*vectors);
	uint64_t sum = 0;

	for (size_t i = 0; i < got; i++)
		sum += vectors[i].iov_len;
	return sum;
}

bool part_given(pid_t pid, uint64_t number, const uint64_t *args, struct part *ret)
{
	*ret = (struct part){ .file = args[0] };
	switch (number) {
	case __NR_read:
	case __NR_write:
		ret->offset = file_info(pid, args[0], "pos:");
		ret->length = args[2];
		return args[2];
	case __NR_readv:
	case __NR_writev:
		ret->offset = file_info(pid, args[0], "pos:");
		ret->length = sum_of_vectors(pid, args[1], args[2]);
		return ret->length;
	case __NR_pread64:
	case __NR_pwrite64:
		ret->offset = args[3];
		ret->length = args[2];
		return args[2];
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2: /* -1: where the file is */
		ret->offset = args[3] + 1 ? args[3] : file_info(pid, args[0], "pos:");
		ret->length = sum_of_vectors(pid, args[1], args[2]);
		return ret->length;
	case __NR_fallocate:
		ret->offset = args[2];
		ret->length = args[3];
		return true;
	case __NR_readahead:
	case __NR_fadvise64:
	case __NR_sync_file_range:
		ret->offset = args[1];
		ret->length = args[2];
		return true;
	case __NR_ftruncate: /* it frees what is behind */
	case __NR_lseek:
		ret->offset = args[1];
		return number == __NR_ftruncate || args[2] == SEEK_DATA || args[2] == SEEK_HOLE;
	case __NR_mmap:
		*ret = (struct part){ .file = args[4], .offset = args[5], .length = args[1] };
		return !(args[3] & MAP_ANONYMOUS) && args[3] & MAP_POPULATE;
	case __NR_sendfile:
		ret->file = args[1];
		return true;
	case __NR_splice:
	case __NR_copy_file_range:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_cachestat:
	case __NR_close:
		return true;
	default:
		return false;
	}
}

bool bytes_cached(pid_t pid, struct part part, uint64_t *ret)
{
	struct asked asked = { part.offset, part.length };
	struct answer answer = { 0 };
	struct statfs system;
	struct stat info;
	char link[64];
	bool known;
	int fd;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, (int)part.file);
	if (stat(link, &info) || !S_ISREG(info.st_mode) || statfs(link, &system) ||
	    (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC))
		return false;
	fd = open(link, O_RDONLY | O_CLOEXEC);
	known = fd >= 0 && !syscall(__NR_cachestat, fd, &asked, &answer, 0);
	if (fd >= 0)
		close(fd);
	*ret = (answer.cached + answer.evicted) * (uint64_t)sysconf(_SC_PAGESIZE);
	return known;
}
