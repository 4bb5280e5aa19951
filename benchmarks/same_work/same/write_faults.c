// SPDX-License-Identifier: GPL-2.0-only
/* same: a handler of SIGSEGV makes each of 100 write-protected pages writable. */
#include <stddef.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	mprotect((char *)((uintptr_t)info->si_addr & ~4095UL), 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	volatile char *p = mmap(NULL, 100 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 100; i++)
		p[i * 4096] = 1;
	return 0;
}
