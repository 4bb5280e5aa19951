/* SPDX-License-Identifier: GPL-2.0-only */
/* What a system call works on: a device, a pipe, a file of /proc. Two calls of one name may cost more on one of them. */
#ifndef KASSAY_TARGETS_H
#define KASSAY_TARGETS_H

#include "amounts.h"

/*
 * The target of the call that @pid enters, as a word: "device-1:3", "pipe", "socket", "eventpoll", "/proc/N/maps";
 * TARGET_OUTPUT for what the program prints, which leaves nothing that a later call could find.
 * Numbers in names are "N", as those of processes are chance. Returns false for a regular file or a directory elsewhere,
 * whose name may be chance, and for calls without a target.
 */
bool target_given(pid_t pid, uint64_t number, const uint64_t *args, char ret[KIND_BYTES]);

/* True if a call moves data of another file or a pipe into a file of the kernel, where it may be a command. */
bool target_hidden(pid_t pid, uint64_t number, const uint64_t *args);

#endif
