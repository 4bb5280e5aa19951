// SPDX-License-Identifier: GPL-2.0-only
/* same: asks for its parent five times. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 5; i++)
		syscall(SYS_getppid);
	return 0;
}
