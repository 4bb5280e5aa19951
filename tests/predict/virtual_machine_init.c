// SPDX-License-Identifier: GPL-2.0-only
/* init of a guest that has KVM: loads the modules /0.ko, /1.ko, ..., runs /probes with the lines of /words, and ends. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char words[4096], *arguments[128] = { "/probes" };

static void load_modules(void)
{
	char path[32];

	for (int i = 0;; i++) {
		int module;

		snprintf(path, sizeof(path), "/%d.ko", i);
		module = open(path, O_RDONLY);
		if (module < 0)
			return;
		if (syscall(SYS_finit_module, module, "", 0))
			perror(path);
		close(module);
	}
}

int main(void)
{
	int file = open("/words", O_RDONLY);

	if (read(file, words, sizeof(words) - 1) < 0)
		perror("/words");
	arguments[1] = strtok(words, "\n");
	for (int i = 2; arguments[i - 1]; i++)
		arguments[i] = strtok(NULL, "\n");
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	load_modules();
	puts("\nbegin");
	fflush(stdout);
	if (!fork()) {
		execv(arguments[0], arguments);
		_exit(1);
	}
	wait(NULL);
	puts("end");
	fflush(stdout);
	return reboot(RB_POWER_OFF);
}
