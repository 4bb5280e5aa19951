// SPDX-License-Identifier: GPL-2.0-only
/* different-work: computes 2 % longer on kernels other than 6.12; all calls and faults are the same. */
#include <string.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname names;
	volatile long sum = 0;
	long turns = 200000;

	uname(&names);
	if (strncmp(names.release, "6.12", 4))
		turns += turns / 50;
	for (long i = 0; i < turns; i++)
		sum += i;
	return 0;
}
