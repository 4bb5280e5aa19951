// SPDX-License-Identifier: GPL-2.0-only
/* No virtual machine on arm64 yet, and so no privileged probes. */
#if defined(__aarch64__)
#include "probe.h"
#include "vm.h"

const char *vm_call(void (*function)(void *), void *argument)
{
	(void)function;
	(void)argument;
	return "no virtual machine on arm64";
}

const struct probe privileged_probes[] = { { 0 } };
#endif
