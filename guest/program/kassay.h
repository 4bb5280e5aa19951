/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks the rounds of a program's own loop for kassay, which counts what is executed between the two:
 *
 *	#include "kassay.h"
 *	for (i = 0; i < 20; i++) {
 *		prepare();
 *		KASSAY_ROUND_BEGIN();
 *		work();
 *		KASSAY_ROUND_END();
 *	}
 *
 *	kassay compare --program file.c debian:6.16 debian:6.17
 *
 * Each is one instruction without effect, on any machine; elsewhere nothing happens. One task marks at a time.
 */
#ifndef KASSAY_H
#define KASSAY_H

#if defined(__x86_64__)
#define KASSAY_MARK(letter) __asm__ volatile("nopl 0x4b4153" #letter "(%%rax)" ::: "memory")
#elif defined(__aarch64__)
#define KASSAY_MARK(letter) __asm__ volatile("movz xzr, #0x4b" #letter ::: "memory")
#else
#define KASSAY_MARK(letter) __asm__ volatile("" ::: "memory")
#endif

#define KASSAY_ROUND_BEGIN() KASSAY_MARK(4f)
#define KASSAY_ROUND_END() KASSAY_MARK(43)

#endif
