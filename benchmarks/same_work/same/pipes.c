// SPDX-License-Identifier: GPL-2.0-only
/* same: two processes send a byte to and fro 200 times. */
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int there[2], back[2];
	char byte = 1;

	if (pipe(there) || pipe(back))
		return 1;
	if (fork() == 0) {
		for (int i = 0; i < 200; i++) {
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < 200; i++) {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	}
	wait(NULL);
	return 0;
}
