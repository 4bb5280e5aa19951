// SPDX-License-Identifier: GPL-2.0-only
/* same: sends itself 200 signals and handles each. */
#include <signal.h>

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	(void)number;
	handled++;
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 200; i++)
		raise(SIGUSR1);
	return handled != 200;
}
