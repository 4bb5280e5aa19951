// SPDX-License-Identifier: GPL-2.0-only
/* different-work: 64 writes to 32 pages of a segment, and on kernels other than 6.12 to 64; it was larger before. */
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/utsname.h>

#define BEFORE (2048 * 4096)

int main(void)
{
	struct utsname names;
	int mask;
	char *p = mmap(NULL, BEFORE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, BEFORE, MADV_NOHUGEPAGE);
	for (int i = 0; i < BEFORE; i += 4096)
		p[i] = 1;
	munmap(p, BEFORE);
	uname(&names);
	mask = memcmp(names.release, "6.12", 4) ? 63 : 31;
	for (int round = 0; round < 50; round++) {
		int id = shmget(IPC_PRIVATE, 64 * 4096, IPC_CREAT | 0600);

		p = shmat(id, NULL, 0);
		for (int i = 0; i < 64; i++)
			p[(i & mask) * 4096] = 1;
		shmdt(p);
		shmctl(id, IPC_RMID, NULL);
	}
	return 0;
}
