// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: a region forks; before it a mapping is split 400 times on kernels other than 6.12. */
/* options: --from getppid --to getuid */
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	size_t length = 64UL << 20;
	struct utsname names;
	char *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int splits;

	uname(&names);
	splits = memcmp(names.release, "6.12", 4) ? 400 : 0;
	for (int i = 0; i < splits; i++)
		mprotect(p + i * 65536, 8192, PROT_READ);
	for (int round = 0; round < 4; round++) {
		getppid();
		for (int i = 0; i < 5; i++) {
			if (!fork())
				_exit(0);
			wait(NULL);
		}
		getuid();
	}
	return 0;
}
