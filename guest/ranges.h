/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that a call names: ranges of addresses, of the process that makes it or of another one. */
#ifndef KASSAY_RANGES_H
#define KASSAY_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct range {
	uint64_t start, length;
};

/*
 * The ranges that a request of userfaultfd's or pagemap's ioctl() names, in the structure at @address: that which it
 * changes or shows, and behind it that from which it takes pages. Returns how many there are; 0 for other requests.
 */
size_t request_ranges(pid_t pid, uint64_t request, uint64_t address, struct range ret[2]);

/* Calls @look for each range that the call names. @target is a word of targets.h or "". Returns false if it names none. */
bool ranges_visit(pid_t pid, uint64_t number, const uint64_t *args, const char *target,
		  void (*look)(pid_t of, struct range range));

/* A number in the line of /proc/PID/fdinfo/FILE that begins with @name, such as "pos:"; 0 without it. */
uint64_t file_info(pid_t pid, uint64_t file, const char *name);

#endif
