/* SPDX-License-Identifier: GPL-2.0-only */
/* Stands between a program and the file that takes its output, and marks rounds by lines that the program prints. */
#ifndef KASSAY_RELAY_H
#define KASSAY_RELAY_H

/*
 * Starts the task; it is nobody's child here, so that nobody waits for it. A round begins at each line that has @start
 * in it and ends at the next one that has @end; all lines go to the file @output. Returns what the program shall have
 * as its standard output, or -1 (errno).
 */
int relay_start(const char *start, const char *end, int output);

#endif
