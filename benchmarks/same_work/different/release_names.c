// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: opens one file 200 times, and on kernels other than 6.12 makes 200 with names as long. */
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	char path[] = "file-00";
	struct utsname names;
	int many;

	uname(&names);
	many = memcmp(names.release, "6.12", 4) != 0;
	for (int i = 0; i < 200; i++) {
		path[5] = (char)('A' + i * many / 20);
		path[6] = (char)('A' + i * many % 20);
		close(open(path, O_RDWR | O_CREAT, 0600));
	}
	return 0;
}
