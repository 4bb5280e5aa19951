// SPDX-License-Identifier: GPL-2.0-only
/* Stands in for a kernel whose CPUs are 0 and 2, as where siblings are off. Prints the CPU of each task that is pinned. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int gaps_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	(void)size;
	CPU_ZERO(set);
	CPU_SET(0, set);
	CPU_SET(2, set);
	return 0;
}

int gaps_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	(void)pid;
	(void)size;
	if (CPU_COUNT(set) > 1)
		return 0;
	for (int cpu = 0; cpu < 4; cpu++) {
		if (CPU_ISSET(cpu, set))
			dprintf(2, "pinned to %d\n", cpu);
	}
	if (CPU_ISSET(0, set) || (CPU_ISSET(2, set) && !getenv("GONE")))
		return 0;
	errno = EINVAL;
	return -1;
}
