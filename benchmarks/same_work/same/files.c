// SPDX-License-Identifier: GPL-2.0-only
/* same: writes 64 files of 16 KiB, reads them, asks for their sizes, lists and removes them. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	static char text[16384];
	char name[32];
	struct stat status;
	DIR *directory;

	mkdir("files", 0700);
	for (int i = 0; i < 64; i++) {
		int fd;

		snprintf(name, sizeof(name), "files/%d", i);
		fd = open(name, O_RDWR | O_CREAT, 0600);
		if (write(fd, text, sizeof(text)) != sizeof(text) || pread(fd, text, sizeof(text), 0) != sizeof(text))
			return 1;
		fstat(fd, &status);
		close(fd);
	}
	directory = opendir("files");
	while (readdir(directory))
		;
	closedir(directory);
	for (int i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "files/%d", i);
		stat(name, &status);
		unlink(name);
	}
	return rmdir("files");
}
