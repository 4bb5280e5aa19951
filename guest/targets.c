// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "arguments.h"
#include "call_names.h"
#include "peek.h"
#include "program.h"
#include "targets.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define PATH_BYTES 128

/* Calls whose first argument is a file. Calls for sockets, such as sendto(), work on no other file. */
static const uint64_t on_files[] = {
	__NR_read,    __NR_write,    __NR_pread64,   __NR_pwrite64,    __NR_readv,	   __NR_writev,	   __NR_preadv,
	__NR_pwritev, __NR_preadv2,  __NR_pwritev2,  __NR_getdents64,  __NR_lseek,	   __NR_fstat,	   __NR_ftruncate,
	__NR_fsync,   __NR_fdatasync, __NR_readahead, __NR_fgetxattr,  __NR_flistxattr,	   __NR_sendfile,  __NR_splice,
	__NR_tee,     __NR_vmsplice, __NR_close,     __NR_copy_file_range, __NR_sync_file_range,
#ifdef __x86_64__
	__NR_getdents,
#endif
};

/* Writes @name with each run of digits as one "N", and blanks as "_"; what is longer than a target is cut. */
static void without_numbers(const char *name, char *ret)
{
	size_t used = 0;

	for (; *name && used < KIND_BYTES - 1; name++) {
		bool digit = isdigit((unsigned char)*name);

		if (digit && isdigit((unsigned char)name[1]))
			continue;
		ret[used++] = digit ? 'N' : isgraph((unsigned char)*name) ? *name : '_';
	}
	ret[used] = '\0';
}

static bool is_of_kernel(const char *path)
{
	return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5);
}

static bool of_file(pid_t pid, uint64_t file, char *ret)
{
	char link[64], path[PATH_BYTES];
	struct stat info;
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, (int)file);
	got = readlink(link, path, sizeof(path) - 1);
	if (got < 0)
		return false;
	path[got] = '\0';
	if (!strncmp(path, PROGRAM_OUTPUT "/", sizeof(PROGRAM_OUTPUT)))
		return strcpy(ret, TARGET_OUTPUT), true;
	if (!strncmp(path, "anon_inode:", 11))
		return without_numbers(path + 11, ret), true;
	if (is_of_kernel(path))
		return without_numbers(path, ret), true;
	if (stat(link, &info) || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
		return false;
	if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))
		snprintf(ret, KIND_BYTES, "device-%u:%u", major(info.st_rdev), minor(info.st_rdev));
	else
		snprintf(ret, KIND_BYTES, "%s", S_ISFIFO(info.st_mode) ? "pipe" : "socket");
	return true;
}

static bool of_name(pid_t pid, uint64_t address, char *ret)
{
	char path[PATH_BYTES + 1];

	text_at(pid, address, path, sizeof(path));
	if (!is_of_kernel(path))
		return false;
	without_numbers(path, ret);
	return true;
}

bool target_given(pid_t pid, uint64_t number, const uint64_t *args, char ret[KIND_BYTES])
{
	if (is_among(on_files, COUNT(on_files), number))
		return of_file(pid, args[0], ret);
	return arguments_name(number) >= 0 && of_name(pid, args[arguments_name(number)], ret);
}

bool target_hidden(pid_t pid, uint64_t number, const uint64_t *args)
{
	char target[KIND_BYTES];
	uint64_t file = number == __NR_sendfile ? args[0] : args[2];

	return (number == __NR_sendfile || number == __NR_splice || number == __NR_copy_file_range) &&
	       of_file(pid, file, target) && *target == '/';
}
