// SPDX-License-Identifier: GPL-2.0-only
/* different-work: reads every file of /proc/sys/vm; the kernels have other ones. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	DIR *directory = opendir("/proc/sys/vm");
	struct dirent *entry;
	char text[4096];
	int files = 0;

	while ((entry = readdir(directory))) {
		int fd = openat(dirfd(directory), entry->d_name, O_RDONLY);

		if (fd < 0)
			continue;
		files += read(fd, text, sizeof(text)) > 0;
		close(fd);
	}
	closedir(directory);
	printf("files %d\n", files);
	return 0;
}
