// SPDX-License-Identifier: GPL-2.0-only
/* different-work: 300 futex waits that find another value, and on kernels other than 6.12 time out at once. */
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timespec now = { 0, 0 };
	struct utsname names;
	int word = 0, expected;

	uname(&names);
	expected = !memcmp(names.release, "6.12", 4);
	for (int i = 0; i < 300; i++)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &now, NULL, 0);
	return 0;
}
