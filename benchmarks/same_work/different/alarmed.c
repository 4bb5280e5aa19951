// SPDX-License-Identifier: GPL-2.0-only
/* different-work: changes a protection 20 times while a timer signals every 200 us; each signal touches eight pages. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;
static char *touched;

static void on_alarm(int number)
{
	(void)number;
	for (int at = 0; at < 8 * 4096; at += 4096)
		touched[at] = 1;
	madvise(touched, 8 * 4096, MADV_DONTNEED);
	alarms++;
}

int main(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	size_t size = 1 << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	touched = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 1, size);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < 10; i++) {
		mprotect(p, size, PROT_READ);
		mprotect(p, size, PROT_READ | PROT_WRITE);
	}
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("alarms %d\n", (int)alarms);
	return 0;
}
