/* SPDX-License-Identifier: GPL-2.0-only */
/* Included in front of each file of the program: calls that may not leave the harness, or touch this host's files. */
#ifndef TRIALS_REPLACED_H
#define TRIALS_REPLACED_H

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef TRIALS_NO_FILES
#include <fcntl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "calls.h"

#define main product_main
#define exit trial_exit
#define malloc trial_malloc
#define calloc trial_calloc
#define realloc trial_realloc
#define free trial_free
#define mmap trial_mmap
#ifdef TRIALS_NO_FILES
#define _exit trial_exit
#define reboot trial_exit
#define open trial_open
#define fchmod trial_fchmod
#endif

#endif
