/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Privileged instructions on the real CPU: a virtual machine without any device, whose memory
 * is this program's own image. A function of this program is called in its ring 0.
 */
#ifndef KASSAY_PROBE_VM_H
#define KASSAY_PROBE_VM_H

/* Makes the machine, once. NULL, or why this host cannot. */
const char *vm_start(void);

/*
 * Calls a function in ring 0, with interrupts off. It may use this program's code and static
 * data, and must not call the C library. NULL, or why it did not come back.
 */
const char *vm_call(void (*function)(void *), void *argument);

/* Where ring 3 of the machine sees an address of this program. Ring 0 may not touch it there. */
void *vm_user(const void *address);

/* An exception or software interrupt of the machine goes to this code. */
void vm_gate(unsigned int vector, const void *code);

/* SYSCALL of the machine goes to this code. */
const char *vm_system_calls_to(const void *code);

/* Selectors of segments: ring 0 code and data, ring 3 data and code. */
#define VM_CODE 0x08
#define VM_DATA 0x10
#define VM_USER_DATA 0x1b
#define VM_USER_CODE 0x23

#endif
