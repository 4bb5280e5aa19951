/* SPDX-License-Identifier: GPL-2.0-only */
/* A file in the page cache and nowhere else, of the file system that adds nothing of its own to the generic code. */
#ifndef KASSAY_RAMFS_H
#define KASSAY_RAMFS_H

#include "workload.h"

/*
 * A file of @pages pages on a ramfs that nobody else sees, each beginning with the word @stamp. The mount is gone
 * when the file is closed. Returns a file descriptor, or what fail() returns: mounting needs root.
 */
int ramfs_file(struct run *run, uint64_t pages, uint64_t stamp);

#endif
