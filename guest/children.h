/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps that fork a child and wait for it. The measured task and its children run as SCHED_FIFO of one priority, so
 * that nothing takes the CPU away between fork() and the wait: what the child does is never part of the fork's phase.
 */
#ifndef KASSAY_CHILDREN_H
#define KASSAY_CHILDREN_H

#include "script.h"

/* For setup() of a workload whose rounds fork: SCHED_FIFO, or a note where the right to it is missing. */
void children_expect(struct run *run);

/*
 * A step that forks a child, whose id goes to *@pid. It exits at once, or runs the closed script @child before, without
 * marks. Script and memory are the child's own copy (copy-on-write). @flags: of clone(2), added to SIGCHLD; with CLONE_VM
 * also CLONE_VFORK, as both then use one stack.
 */
struct step *child_fork(struct script *script, uint64_t *pid, const struct script *child, uint64_t flags);

/* A step that waits for the child *@pid to exit and reaps it; it fails with the error of the child's script. */
void child_reap(struct script *script, uint64_t *pid);

#endif
