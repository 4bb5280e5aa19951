// SPDX-License-Identifier: GPL-2.0-only
/* same: waits by epoll for an event counter that it has written itself, 300 times. */
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

int main(void)
{
	int fd = eventfd(0, 0), set = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };
	uint64_t one = 1;

	epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	for (int i = 0; i < 300; i++) {
		if (write(fd, &one, 8) != 8 || epoll_wait(set, &event, 1, -1) != 1 || read(fd, &one, 8) != 8)
			return 1;
	}
	return 0;
}
