// SPDX-License-Identifier: GPL-2.0-only
/* different-work: a thread installs guard pages (MADV_GUARD_INSTALL, Linux 6.13), which 6.12 refuses. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static void *guards(void *p)
{
	for (int i = 0; i < 200; i++)
		madvise((char *)p + i * 4096, 4096, 102);
	return NULL;
}

int main(void)
{
	char *p = mmap(NULL, 200 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	pthread_create(&thread, NULL, guards, p);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
