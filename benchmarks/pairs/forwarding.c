// SPDX-License-Identifier: GPL-2.0-only
/* Loads that need what a store before them wrote. */
#include "pair.h"

#define INDEX "and $0x7f8, %%edx\n"
#define STORES8 "mov %%r8, 512(%[p]); mov %%r8, 576(%[p]); mov %%r8, 640(%[p]); mov %%r8, 704(%[p])\n" \
		"mov %%r8, 768(%[p]); mov %%r8, 832(%[p]); mov %%r8, 896(%[p]); mov %%r8, 960(%[p])\n"

#define SIDES(X)							\
	X(register4, ".rept 4; add $1, %%rax; .endr\n" INDEX)		\
	X(forwarded, ".rept 4; add $1, %%rax; .endr\n" INDEX		\
		     "mov %%rax, (%[p], %%rdx); mov (%[p], %%rdx), %%rax\n")	\
	X(forwarded_narrow, ".rept 4; add $1, %%rax; .endr\n" INDEX	\
			    "mov %%rax, (%[p], %%rdx); mov (%[p], %%rdx), %%eax\n")	\
	X(forwarded_wide, ".rept 4; add $1, %%rax; .endr\n" INDEX	\
			  "mov %%eax, (%[p], %%rdx); mov %%eax, 4(%[p], %%rdx); mov (%[p], %%rdx), %%rax\n")	\
	X(forwarded_late, ".rept 4; add $1, %%rax; .endr\n" INDEX	\
			  "mov %%rax, (%[p], %%rdx);" STORES8 "mov (%[p], %%rdx), %%rax\n")	\
	X(increment, "incq (%[p])\n")					\
	X(increment4, "incq (%[p]); incq 64(%[p]); incq 128(%[p]); incq 192(%[p])\n")	\
	X(increment_same4, "incq (%[p]); incq (%[p]); incq (%[p]); incq (%[p])\n")

SIDES(LOOP)

const struct side forwarding_sides[] = {
	SIDES(ENTRY)
	{ 0 },
};
