/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's RAM disk as a block device of a workload: memory file systems write nothing back, it does, at once. */
#ifndef KASSAY_RAM_DISK_H
#define KASSAY_RAM_DISK_H

#include "workload.h"

#define RAM_DISK "/dev/ram0"

/* A descriptor of it, if it is empty and has @bytes at least; else what fail() returns. */
int ram_disk_open(struct run *run, uint64_t bytes);

/* For teardown(), when nothing has it open: its first @bytes are zero again. */
void ram_disk_clear(uint64_t bytes);

/* Its pages among the first @bytes that begin with @word. */
uint64_t ram_disk_pages_with(uint64_t word, uint64_t bytes);

#endif
