// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: counts two semaphores up 300 times, and on kernels other than 6.12 with SEM_UNDO. */
#include <string.h>
#include <sys/sem.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	short flags;
	int set;

	uname(&names);
	flags = memcmp(names.release, "6.12", 4) != 0 ? SEM_UNDO : 0;
	set = semget(IPC_PRIVATE, 100, 0600);
	for (int i = 0; i < 300; i++) {
		struct sembuf steps[2] = { { 1, 1, flags }, { 50, 1, flags } };

		if (semop(set, steps, 2))
			return 1;
	}
	return semctl(set, 0, IPC_RMID);
}
