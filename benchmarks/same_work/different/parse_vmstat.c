// SPDX-License-Identifier: GPL-2.0-only
/* different-work: parses each line of /proc/vmstat and adds up the numbers. */
#include <stdio.h>

int main(void)
{
	unsigned long long sum = 0, value;
	char name[128];
	int lines = 0;

	for (int i = 0; i < 10; i++) {
		FILE *file = fopen("/proc/vmstat", "r");

		while (fscanf(file, "%127s %llu", name, &value) == 2) {
			sum += value;
			lines++;
		}
		fclose(file);
	}
	printf("lines %d\n", lines);
	return sum == 0;
}
