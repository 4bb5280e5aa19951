/* SPDX-License-Identifier: GPL-2.0-only */
/* Rounds of a program: measured with `--from round_begin --to round_end`. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 8
#define CALLS 1000

__attribute__((noipa)) static void round_begin(void) { asm volatile(""); }
__attribute__((noipa)) static void round_end(void) { asm volatile(""); }

/* Ends the program with a message unless the call succeeded. */
static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

#endif
