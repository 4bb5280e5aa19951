/* SPDX-License-Identifier: GPL-2.0-only */
/* Every task of /proc with its run time. */
#ifndef KASSAY_TASKS_H
#define KASSAY_TASKS_H

#include <sys/types.h>

struct task {
	pid_t pid; /* the process; threads share it */
	pid_t tid;
	char comm[20];     /* control characters are replaced by '?' */
	char schedstat[64]; /* run ns, wait ns, slices; empty when the kernel has no schedstat */
};

/* Calls @each for every task; one that ends meanwhile is left out. Returns 0 or -1 (errno). */
int tasks_walk(void (*each)(const struct task *task, void *data), void *data);

#endif
