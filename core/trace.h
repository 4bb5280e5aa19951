/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a trace (kassay-trace/1, docs/reference/formats.md) and gives it to the core in the same pass. */
#ifndef KASSAY_CORE_TRACE_H
#define KASSAY_CORE_TRACE_H

/* Ends the program where the file is wrong. */
void trace_replay(const char *path);

#endif
