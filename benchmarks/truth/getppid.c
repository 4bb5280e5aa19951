// SPDX-License-Identifier: GPL-2.0-only
/* The shortest system call, 20000 times: what entering and leaving the kernel costs, and nearly nothing else. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	int i;

	for (i = 0; i < 20000; i++)
		syscall(SYS_getppid);
	return 0;
}
