/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories inside each other, and a file in the innermost one. */
#ifndef PATHS_H
#define PATHS_H

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rounds.h"

/* Makes `depth` directories below the one that `path` names, and a file; `path` becomes that of the file. */
static void make_path(char *path, int depth)
{
	int fd;

	for (int i = 0; i < depth; i++) {
		strcat(path, "/directory");
		need(!mkdir(path, 0755) || !access(path, F_OK), "mkdir");
	}
	strcat(path, "/file.h");
	fd = open(path, O_RDWR | O_CREAT, 0644);
	need(fd >= 0 && !close(fd), "open");
}

#endif
