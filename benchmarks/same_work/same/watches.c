// SPDX-License-Identifier: GPL-2.0-only
/* same: makes and removes 50 inotify watches; the kernel frees them later. */
#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int main(void)
{
	int file = inotify_init();

	for (int i = 0; i < 50; i++)
		inotify_rm_watch(file, inotify_add_watch(file, i % 2 ? "/proc" : "/sys", IN_OPEN));
	close(file);
	return 0;
}
