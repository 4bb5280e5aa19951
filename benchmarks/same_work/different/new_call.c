// SPDX-License-Identifier: GPL-2.0-only
/* different-work: asks for file attributes with file_getattr() (Linux 6.17), which 6.12 does not have. */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	char attributes[24];
	int failed = 0;

	for (int i = 0; i < 300; i++)
		failed += syscall(468, -100, "/data", attributes, sizeof(attributes), 0) != 0;
	printf("failed %d\n", failed);
	return 0;
}
