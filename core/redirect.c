// SPDX-License-Identifier: GPL-2.0-only
#include "redirect.h"

#include "branch.h"
#include "front.h"
#include "params.h"
#include "window.h"

#define AHEAD 16 /* cycles that the prediction of branches is ahead of dispatch at most */

static uint64_t predicted; /* when the last taken branch was predicted, in 1/100 cycles */

/* A taken branch that was predicted: what is at its target is there some time after the one before. */
static void taken(const struct insn *insn, uint32_t function)
{
	uint64_t least = window.front > AHEAD ? (window.front - AHEAD) * 100 : 0;

	predicted = later(predicted, least);
	predicted += insn->kind == BRANCH || insn->kind == JUMP ? branch_taken(insn->address) : params.taken_call;
	window_redirect(predicted / 100, CAUSE_WIDTH, function);
}

/* Prediction begins again at @cycle. */
static void wrong_way(uint64_t cycle, uint32_t function)
{
	window_redirect(cycle, CAUSE_MISPREDICTION, function);
	front_redirect(cycle);
	predicted = cycle * 100;
}

void redirect_branch(const struct block *block, const struct block *next, uint64_t done)
{
	const struct insn *insn = &block->insns[block->count - 1];

	switch (branch_resolve(insn, block->end, next->start)) {
	case GUESS_WRONG:
		wrong_way(done + cycles(params.mispredict), block->function);
		break;
	case GUESS_ELSEWHERE:
		wrong_way(done + cycles(params.mispredict_return), block->function);
		break;
	case GUESS_LATE:
		wrong_way(window.front + cycles(params.btb_miss), block->function);
		break;
	case GUESS_RIGHT:
		if (next->start == block->end)
			break;
		taken(insn, block->function);
	}
}

void redirect_enter(const struct block *block, uint32_t cost)
{
	uint64_t cycle = later(window.retired, window.front) + cycles(cost);

	window_redirect(cycle, CAUSE_RINGS, block->function);
	front_redirect(cycle);
}
