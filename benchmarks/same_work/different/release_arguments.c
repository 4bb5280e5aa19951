// SPDX-License-Identifier: GPL-2.0-only
/* different-work: executes itself 10 times with an argument of 1000 bytes, and on kernels other than 6.12 of 100000. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(int count, char **words)
{
	static char text[100001];
	struct utsname names;
	char turn[2] = "0";
	char *next[] = { words[0], turn, text, NULL };

	turn[0] += count > 1 ? words[1][0] - '0' + 1 : 0;
	if (turn[0] > '9')
		return 0;
	uname(&names);
	memset(text, 'x', sizeof(text) - 1);
	next[2] += (memcmp(names.release, "6.12", 4) == 0) * 99000;
	execv("/proc/self/exe", next);
	return 1;
}
