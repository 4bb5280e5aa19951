// SPDX-License-Identifier: GPL-2.0-only
#include "prefetch.h"

#include "address.h"
#include "params.h"
#include "program.h"

#define STREAMS 128
#define PAGE_LINES (1 << (PAGE_SHIFT - LINE_SHIFT))
#define AT_A_TIME 4 /* lines that one access has fetched */
#define NEAR 8      /* lines between two accesses of a stream */
#define CONTRARY 4  /* accesses the other way that end it */

struct stream {
	uint64_t page; /* and one: 0 is none */
	int last;      /* line of the page that was asked for last */
	int sent;      /* the line that is fetched already, and all before it */
	int way;       /* 1 upwards, -1 downwards, 0 not known */
	int steady;    /* accesses in this direction, one after the other */
	int contrary;
	uint64_t used;
};

static struct stream streams[STREAMS];
static uint64_t clock;

static struct stream *stream_of(uint64_t page)
{
	struct stream *oldest = streams;

	for (struct stream *s = streams; s < streams + params.prefetch_streams; s++) {
		if (s->page == page + 1)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct stream){ .page = page + 1, .last = -1 };
	return oldest;
}

/* Whether the access confirms the stream, or begins it anew in its direction. */
static bool follows(struct stream *s, int at)
{
	int step = at - s->last, way = step > 0 ? 1 : -1;

	if (!step)
		return false;
	if (s->steady && way != s->way && step * way <= (int)params.prefetch_distance && ++s->contrary < CONTRARY)
		return false; /* behind the front: what another prefetcher has run ahead of */
	s->contrary = 0;
	if (way != s->way || step * way > NEAR) {
		s->steady = 0;
		s->sent = at;
	}
	s->way = way;
	s->last = at;
	return ++s->steady > 1;
}

void prefetch_stream(uint64_t line, uint64_t cycle, void (*fetch)(uint64_t line, uint64_t cycle))
{
	uint64_t page = line / PAGE_LINES;
	int at = (int)(line % PAGE_LINES), end;
	struct stream *s = stream_of(page);

	s->used = ++clock;
	if (s->last < 0) {
		s->last = at;
		return;
	}
	if (!follows(s, at))
		return;
	if ((s->sent - at) * s->way < 0)
		s->sent = at;
	end = at + s->way * (int)params.prefetch_distance;
	for (int n = 0; n < AT_A_TIME && s->sent != end; n++) {
		int next = s->sent + s->way;

		if (next < 0 || next >= PAGE_LINES)
			return;
		s->sent = next;
		fetch(page * PAGE_LINES + (uint64_t)next, cycle);
	}
}

bool prefetch_stride(struct habit *habit, uint64_t address, uint64_t *line)
{
	int64_t step = (int64_t)(address - habit->last);
	uint64_t ahead, target;

	habit->last = address;
	if (step != habit->step || !step) {
		habit->steady = 0;
		habit->step = step;
		return false;
	}
	if (habit->steady < 2) {
		habit->steady++;
		return false;
	}
	/* Short strides look ahead by lines: several accesses share one. */
	ahead = (uint64_t)(step * (int64_t)params.stride_distance);
	if (step > -64 && step < 64)
		ahead = (uint64_t)((step > 0 ? 64 : -64) * (int64_t)params.stride_distance);
	target = address + ahead;
	if (target >> PAGE_SHIFT != address >> PAGE_SHIFT || target >> LINE_SHIFT == habit->line)
		return false;
	*line = habit->line = target >> LINE_SHIFT;
	return true;
}
