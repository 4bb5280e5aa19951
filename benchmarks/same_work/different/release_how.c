// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: opens and writes a file 40 times by openat2(), and cuts it on kernels other than 6.12. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	static char bytes[65536];
	struct open_how how = { .flags = O_RDWR | O_CREAT, .mode = 0600 };
	struct utsname names;

	uname(&names);
	if (memcmp(names.release, "6.12", 4))
		how.flags |= O_TRUNC;
	for (int i = 0; i < 40; i++) {
		int fd = (int)syscall(SYS_openat2, AT_FDCWD, "how", &how, sizeof(how));

		if (fd < 0 || write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			return 1;
		close(fd);
	}
	return unlink("how");
}
