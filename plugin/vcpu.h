/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPU runs. QEMU 10 and 11 give a callback the number of the CPU for which its block was translated, where CPUs
 * take turns on one thread, as under icount, and share what was translated (gen_cpu_index() in
 * accel/tcg/plugin-gen.c). But the registers that a plugin reads are those of the CPU that runs, and one of them has
 * the address of the kernel's data for that CPU. Plugins read registers since QEMU 9.0.
 */
#ifndef KASSAY_VCPU_H
#define KASSAY_VCPU_H

#include "code.h"
#include "qemu_api.h"

/* @count: CPUs of the machine. */
void vcpu_start(const struct arch *arch, unsigned int count);

extern bool vcpu_asks; /* the number that QEMU gives may be wrong */

/* Flags of callbacks that call vcpu_number(). */
static inline int vcpu_flags(void)
{
	return vcpu_asks ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS;
}

/* Numbers are in the order in which the CPUs were asked for first. */
unsigned int vcpu_ask(void);
unsigned int vcpu_last(void);

/* In a callback at the head of a block or at an instruction. @given: the number that QEMU gives it. */
static inline unsigned int vcpu_number(unsigned int given)
{
	return vcpu_asks ? vcpu_ask() : given;
}

/* In a callback in the middle of a block, at whose head vcpu_number() was called. */
static inline unsigned int vcpu_same(unsigned int given)
{
	return vcpu_asks ? vcpu_last() : given;
}

/* How often no register told which CPU runs. */
uint64_t vcpu_unknown(void);

#endif
