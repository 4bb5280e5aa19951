// SPDX-License-Identifier: GPL-2.0-only
/* same: forks 20 children, and waits for all of them at the end. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 20; i++) {
		if (fork() == 0)
			_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
