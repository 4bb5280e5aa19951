// SPDX-License-Identifier: GPL-2.0-only
/* same: fills a queue with 900 messages; a region sends and takes one behind all of them. */
/* options: --from getppid --to getuid */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

int main(void)
{
	struct { long type; char text[8]; } message = { 1, "x" };
	int queue = msgget(IPC_PRIVATE, 0600);

	for (int i = 0; i < 900; i++)
		if (msgsnd(queue, &message, 1, IPC_NOWAIT))
			return 1;
	message.type = 2;
	getppid();
	for (int i = 0; i < 50; i++) {
		msgsnd(queue, &message, 1, 0);
		msgrcv(queue, &message, 1, 2, 0);
	}
	getuid();
	return msgctl(queue, IPC_RMID, NULL);
}
