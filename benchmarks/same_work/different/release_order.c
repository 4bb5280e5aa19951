// SPDX-License-Identifier: GPL-2.0-only
/* different-work, inconclusive: takes 400 messages first to last, and on kernels other than 6.12 the last one first. */
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/utsname.h>

int main(void)
{
	struct {
		long type;
		char text[8];
	} message = { .text = "" };
	int queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	struct utsname names;
	long back;

	uname(&names);
	back = memcmp(names.release, "6.12", 4) != 0;
	for (long i = 1; i <= 400; i++) {
		message.type = i;
		if (msgsnd(queue, &message, sizeof(message.text), 0))
			return 1;
	}
	for (long i = 1; i <= 400; i++)
		msgrcv(queue, &message, sizeof(message.text), i + back * (401 - 2 * i), 0);
	return msgctl(queue, IPC_RMID, NULL);
}
