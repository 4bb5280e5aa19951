// SPDX-License-Identifier: GPL-2.0-only
/* different-work: touches eight pages and gives them back until five timer signals have come. */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static void work(char *p)
{
	for (int at = 0; at < 8 * 4096; at += 4096)
		p[at] = 1;
	madvise(p, 8 * 4096, MADV_DONTNEED);
}

int main(void)
{
	char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };
	long ops = 0;

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (alarms < 5) {
		work(p);
		ops++;
	}
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("ops %ld\n", ops);
	return 0;
}
