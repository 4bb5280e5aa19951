// SPDX-License-Identifier: GPL-2.0-only
/* different-work: reads 8 bytes of /proc/uptime 100 times, and on kernels other than 6.12 of /proc/vmstat. */
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static const char *const paths[] = { "/proc/uptime", "/proc/vmstat" };
	struct utsname names;
	char text[8];

	uname(&names);
	for (int i = 0; i < 100; i++) {
		int file = open(paths[memcmp(names.release, "6.12", 4) != 0], O_RDONLY);

		if (read(file, text, sizeof(text)) != sizeof(text))
			return 1;
		close(file);
	}
	return 0;
}
