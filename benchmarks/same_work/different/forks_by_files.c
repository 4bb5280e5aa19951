// SPDX-License-Identifier: GPL-2.0-only
/* different-work: forks a child for every eighth file of /proc/sys/vm and each of /sys/kernel/mm. */
#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int files(const char *path)
{
	DIR *directory = opendir(path);
	int found = 0;

	while (directory && readdir(directory))
		found++;
	if (directory)
		closedir(directory);
	return found;
}

int main(void)
{
	int forks = files("/proc/sys/vm") / 8 + files("/sys/kernel/mm");

	for (int i = 0; i < forks; i++) {
		if (fork() == 0)
			_exit(0);
		wait(NULL);
	}
	printf("forks %d\n", forks);
	return 0;
}
