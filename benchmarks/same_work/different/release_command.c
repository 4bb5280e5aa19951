// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: clears references of pages 20 times, and on kernels other than 6.12 a mark. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	char *p = mmap(NULL, 4UL << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open("/proc/self/clear_refs", O_WRONLY);
	struct utsname names;
	char command;

	uname(&names);
	command = (char)('1' + (memcmp(names.release, "6.12", 4) != 0) * 4);
	for (size_t at = 0; at < 4UL << 20; at += 4096)
		p[at] = 1;
	for (int i = 0; i < 20; i++) {
		if (write(file, &command, 1) != 1)
			return 1;
	}
	return 0;
}
