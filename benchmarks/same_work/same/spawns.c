// SPDX-License-Identifier: GPL-2.0-only
/* same: starts itself ten times by posix_spawn(), and waits for each. */
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv)
{
	char *child[] = { argv[0], "child", NULL };

	for (int i = 0; argc == 1 && i < 10; i++) {
		pid_t pid;

		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, child, environ))
			return 1;
		waitpid(pid, NULL, 0);
	}
	return 0;
}
