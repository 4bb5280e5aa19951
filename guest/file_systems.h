/* SPDX-License-Identifier: GPL-2.0-only */
/* A file on a file system that nobody else sees, all of it in the page cache. */
#ifndef KASSAY_FILE_SYSTEMS_H
#define KASSAY_FILE_SYSTEMS_H

#include "workload.h"

struct file_system {
	const char *type;
	const char *options; /* of the mount; NULL: none */
	bool on_disk;        /* needs a block device: it is made on the RAM disk (ram_disk.h) */
	const char *lacks;   /* what a kernel lacks that cannot mount it */
};

/* Adds nothing of its own to the generic code; folios of one page only. */
extern const struct file_system ramfs;

/* Folios as large as a write (since Linux 6.14). */
extern const struct file_system tmpfs_of_writes;

/* Folios as large as a write (since Linux 6.16), on the RAM disk. */
extern const struct file_system ext4;

/*
 * A file of @bytes, written @block bytes at once; each page begins with the word @stamp. The mount is gone when the
 * file is closed. Returns a file descriptor, or what fail() returns: mounting needs root.
 */
int file_on(struct run *run, const struct file_system *type, uint64_t bytes, size_t block, uint64_t stamp);

/* For teardown(), when the file is closed and unmapped: the RAM disk is empty again, if one was used. */
void file_disk_clear(void);

#endif
