/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KASSAY_PCP_REPLAY_H
#define KASSAY_PCP_REPLAY_H

/* Runs the page events of a file (kassay-pages/1, docs/reference/formats.md); ends the program with status 2 where it is none. */
void replay(const char *path);

#endif
