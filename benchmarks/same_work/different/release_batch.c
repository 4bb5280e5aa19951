// SPDX-License-Identifier: GPL-2.0-only
/* different-work: sends twice as many messages with each sendmmsg() on kernels other than 6.12; as many calls. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>

int main(void)
{
	struct mmsghdr messages[32], received[32];
	struct utsname names;
	char text[16] = "message", got[32][16];
	struct iovec from = { text, sizeof(text) }, to[32];
	int ends[2];
	unsigned int count = 16;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		count *= 2;
	memset(messages, 0, sizeof(messages));
	memset(received, 0, sizeof(received));
	for (int i = 0; i < 32; i++) {
		messages[i].msg_hdr.msg_iov = &from;
		messages[i].msg_hdr.msg_iovlen = 1;
		to[i] = (struct iovec){ got[i], sizeof(got[i]) };
		received[i].msg_hdr.msg_iov = &to[i];
		received[i].msg_hdr.msg_iovlen = 1;
	}
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	for (int i = 0; i < 20; i++) {
		sendmmsg(ends[0], messages, count / 4, 0);
		recvmmsg(ends[1], received, count / 4, MSG_DONTWAIT, NULL);
	}
	return 0;
}
