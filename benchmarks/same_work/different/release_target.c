// SPDX-License-Identifier: GPL-2.0-only
/* different-work: writes 200 times to a file in memory, and on kernels other than 6.12 to /dev/null. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static const char *const paths[] = { "/kept-file", "/null-file" };
	struct utsname names;
	char data[4096] = "";
	int file;

	uname(&names);
	mknod(paths[1], S_IFCHR | 0600, makedev(1, 3));
	file = open(paths[memcmp(names.release, "6.12", 4) != 0], O_WRONLY | O_CREAT, 0600);
	for (int i = 0; i < 200; i++) {
		if (write(file, data, sizeof(data)) != sizeof(data))
			return 1;
	}
	return 0;
}
