// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

const char *parse_digits(const char *text, uint64_t *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*ret = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

bool parse_number(const char *text, uint64_t *ret)
{
	const char *end = parse_digits(text, ret);

	return end && !*end;
}

int read_number_file(const char *path, uint64_t *ret)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (got < 0)
		return -1;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (parse_number(text, ret))
		return 0;
	errno = EINVAL;
	return -1;
}
