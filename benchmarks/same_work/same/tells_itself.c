// SPDX-License-Identifier: GPL-2.0-only
/* same: prints its process number, an address, the time of day and the kernel's release, beside its work. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	struct utsname names;
	struct timeval now;

	for (int i = 0; i < 100; i++)
		munmap(mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), 65536);
	uname(&names);
	gettimeofday(&now, NULL);
	printf("pid=%d address=%p seconds=%ld on %s\n", (int)getpid(), (void *)&now, now.tv_sec, names.release);
	return 0;
}
