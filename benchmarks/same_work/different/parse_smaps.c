// SPDX-License-Identifier: GPL-2.0-only
/* different-work: adds up all Rss lines of /proc/self/smaps; the kernels print other mappings and lines. */
#include <stdio.h>

int main(void)
{
	char line[256];
	long sum = 0, kb, lines = 0;

	for (int i = 0; i < 10; i++) {
		FILE *file = fopen("/proc/self/smaps", "r");

		while (fgets(line, sizeof(line), file)) {
			lines++;
			if (sscanf(line, "Rss: %ld", &kb) == 1)
				sum += kb;
		}
		fclose(file);
	}
	printf("lines %ld\n", lines);
	return sum == 0;
}
