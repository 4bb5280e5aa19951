// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "call_names.h"
#include "peek.h"
#include "ranges.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define UFFDIO_TYPE 0xaa
#define UFFDIO_COPY_NUMBER 3
#define UFFDIO_MOVE_NUMBER 5
#define UFFDIO_LAST_NUMBER 8
#define SCAN_BYTES 96 /* of struct pm_scan_arg */
#define PAGEMAP_SCAN_NUMBER _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, SCAN_BYTES)
#define PAGEMAP "/proc/N/pagemap" /* as a target */
#define MOST_VECTORS 1024 /* UIO_MAXIOV */
#define MOST_PAGES (1UL << 16) /* that one move_pages() may name */
#define PAGES_AT_ONCE 512

/* Calls whose first two arguments are a range of memory. */
static const uint64_t on_ranges[] = {
	__NR_madvise, __NR_mprotect, __NR_pkey_mprotect, __NR_mincore, __NR_mremap, __NR_munmap,
	__NR_mlock,   __NR_mlock2,   __NR_munlock,	 __NR_msync,   __NR_mbind,  __NR_set_mempolicy_home_node,
};

size_t request_ranges(pid_t pid, uint64_t request, uint64_t address, struct range ret[2])
{
	uint64_t words[4] = { 0 };

	bytes_at(pid, address, words, sizeof(words));
	if (request == PAGEMAP_SCAN_NUMBER) {
		ret[0] = (struct range){ words[2], words[3] - words[2] };
		return 1;
	}
	if (_IOC_TYPE(request) != UFFDIO_TYPE || _IOC_NR(request) > UFFDIO_LAST_NUMBER)
		return 0;
	if (_IOC_NR(request) == UFFDIO_COPY_NUMBER || _IOC_NR(request) == UFFDIO_MOVE_NUMBER) {
		ret[0] = (struct range){ words[0], words[2] };
		ret[1] = (struct range){ words[1], words[2] };
		return 2;
	}
	ret[0] = (struct range){ words[0], words[1] };
	return 1;
}

uint64_t file_info(pid_t pid, uint64_t file, const char *name)
{
	char path[64], line[128];
	uint64_t value = 0;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, (int)file);
	info = fopen(path, "re");
	while (info && fgets(line, sizeof(line), info)) {
		if (!strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%" SCNu64, &value) == 1)
			break;
	}
	if (info)
		fclose(info);
	return value;
}

/* The process whose memory a file of /proc/PID shows; @pid itself for other files, such as a userfaultfd. */
static pid_t shown_by(pid_t pid, uint64_t file)
{
	char link[64], path[64];
	ssize_t got;
	pid_t shown;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, (int)file);
	got = readlink(link, path, sizeof(path) - 1);
	path[got > 0 ? got : 0] = '\0';
	return sscanf(path, "/proc/%d/", &shown) == 1 ? shown : pid;
}

static void visit_vectors(pid_t pid, uint64_t address, uint64_t count, pid_t of, void (*look)(pid_t, struct range))
{
	static struct iovec vectors[MOST_VECTORS];
	size_t most = count < MOST_VECTORS ? count : MOST_VECTORS;
	size_t got = bytes_at(pid, address, vectors, most * sizeof(*vectors)) / sizeof(*vectors);

	for (size_t i = 0; i < got; i++)
		look(of, (struct range){ (uintptr_t)vectors[i].iov_base, vectors[i].iov_len });
}

/* Pages that follow each other are one range. */
static void visit_pages(pid_t pid, uint64_t address, uint64_t count, pid_t of, void (*look)(pid_t, struct range))
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), most = count < MOST_PAGES ? count : MOST_PAGES;
	uint64_t pages[PAGES_AT_ONCE];
	struct range range = { 0 };
	size_t got = 1;

	for (uint64_t at = 0; at < most && got; at += got) {
		size_t wanted = most - at < PAGES_AT_ONCE ? most - at : PAGES_AT_ONCE;

		got = bytes_at(pid, address + at * sizeof(*pages), pages, wanted * sizeof(*pages)) / sizeof(*pages);
		for (size_t i = 0; i < got; i++) {
			uint64_t start = pages[i] & ~(size - 1);

			if (range.length && start != range.start + range.length) {
				look(of, range);
				range.length = 0;
			}
			if (!range.length)
				range.start = start;
			range.length += size;
		}
	}
	if (range.length)
		look(of, range);
}

/* The addresses whose entries a read of /proc/PID/pagemap returns. */
static void visit_entries(pid_t pid, uint64_t number, const uint64_t *args, void (*look)(pid_t, struct range))
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t offset = number == __NR_pread64 ? args[3] : file_info(pid, args[0], "pos:");

	look(shown_by(pid, args[0]),
	     (struct range){ offset / sizeof(uint64_t) * page, args[2] / sizeof(uint64_t) * page });
}

bool ranges_visit(pid_t pid, uint64_t number, const uint64_t *args, const char *target,
		  void (*look)(pid_t of, struct range range))
{
	struct range ranges[2];
	size_t count;

	switch (number) {
	case __NR_process_madvise:
		visit_vectors(pid, args[1], args[2], (pid_t)file_info(pid, args[0], "Pid:"), look);
		return true;
	case __NR_process_vm_readv:
	case __NR_process_vm_writev:
		visit_vectors(pid, args[1], args[2], pid, look);
		visit_vectors(pid, args[3], args[4], (pid_t)args[0], look);
		return true;
	case __NR_move_pages:
		visit_pages(pid, args[2], args[1], args[0] ? (pid_t)args[0] : pid, look);
		return true;
	case __NR_read:
	case __NR_pread64:
		if (strcmp(target, PAGEMAP))
			return false;
		visit_entries(pid, number, args, look);
		return true;
	case __NR_ioctl:
		count = request_ranges(pid, args[1], args[2], ranges);
		for (size_t i = 0; i < count; i++)
			look(shown_by(pid, args[0]), ranges[i]);
		return count;
	default:
		if (!is_among(on_ranges, COUNT(on_ranges), number))
			return false;
		look(pid, (struct range){ args[0], args[1] });
		return true;
	}
}
