// SPDX-License-Identifier: GPL-2.0-only
/* inconclusive: fills a queue until 1.5 ms have passed; a region sends and takes one behind all of them. */
/* options: --from getppid --to getuid */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <time.h>
#include <unistd.h>

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(void)
{
	struct { long type; char text[8]; } message = { 1, "x" };
	int queue = msgget(IPC_PRIVATE, 0600);
	long end = now() + 1500000;

	while (now() < end && !msgsnd(queue, &message, 1, IPC_NOWAIT))
		;
	message.type = 2;
	getppid();
	for (int i = 0; i < 50; i++) {
		msgsnd(queue, &message, 1, 0);
		msgrcv(queue, &message, 1, 2, 0);
	}
	getuid();
	return msgctl(queue, IPC_RMID, NULL);
}
