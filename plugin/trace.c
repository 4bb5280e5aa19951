// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define MAX_ROUNDS 64
#define PAGE_SHIFT 12
#define PAGE_SLOTS (1u << 16)
#define MAX_FOLDED 4 /* accesses of an iteration */
#define LONGEST 64   /* bytes that are written without a look at the room; a block's definition looks itself */

enum token { TOKEN_BLOCK, TOKEN_ACCESS, TOKEN_EVENT };

enum {
	EVENT_DEFINE, EVENT_PAGE, EVENT_ROUND, EVENT_INTERVAL, EVENT_CONTEXT, EVENT_CPU, EVENT_LEFT, EVENT_REPEAT,
	EVENT_END, EVENT_CUT, EVENT_SWITCH,
};

struct bytes {
	uint8_t *data;
	size_t size;
	size_t room;
};

struct touched {
	uint64_t address;
	bool store;
};

/* One execution of a repeated string instruction. */
struct iteration {
	unsigned int count;
	struct touched accesses[MAX_FOLDED];
};

/* What was written last of one CPU. */
struct lane {
	struct block *block;
	uint32_t at;      /* instruction of the last access */
	uint32_t context; /* CONTEXTS: not written yet */
	bool open;        /* an iteration runs that is not written */
	bool newest;      /* nothing has run on the CPU since block began */
	struct iteration now, before;
	uint64_t repeats; /* iterations that are not written, each by the strides further than the one before */
	uint64_t strides[MAX_FOLDED];
};

static struct {
	const char *path;
	const char *target;
	unsigned int intervals;
	uint32_t rounds[MAX_ROUNDS], complete[MAX_ROUNDS];
	unsigned int round_count, complete_count;
	uint64_t budget;
	bool on;   /* a chosen round runs */
	bool turn; /* round or interval are others from the next block on */
	bool full;
	uint32_t round, next_round;
	unsigned int next_interval;
	unsigned int cpu;
	uint32_t blocks;
	uint64_t last_page;
	uint64_t time; /* of pages: a later one when some may have been moved */
	bool moving;   /* by the block that began last */
	struct bytes definitions, stream;
	struct lane lanes[MAX_CPUS];
} t;

/*
 * By virtual page, what the reader takes it for. Where two share a slot their frames are written again and again.
 * QEMU is asked once for each page and time, as long as no CPU does what may have moved a page: to ask takes as long as
 * all the rest of an access.
 */
static struct {
	uint64_t page;
	uint64_t frame;
	uint64_t asked;
} pages[PAGE_SLOTS];

static void make_room(struct bytes *bytes, size_t size)
{
	if (bytes->size + size <= bytes->room)
		return;
	bytes->room = 2 * (bytes->room + size);
	bytes->data = realloc(bytes->data, bytes->room);
	if (!bytes->data) {
		fprintf(stderr, "kassay-profile: no memory for a trace of %zu bytes\n", bytes->room);
		abort();
	}
}

static inline void put(struct bytes *bytes, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		bytes->data[bytes->size++] = (uint8_t)(value | 0x80);
	bytes->data[bytes->size++] = (uint8_t)value;
}

static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline void put_event(unsigned int kind)
{
	put(&t.stream, (uint64_t)kind << 2 | TOKEN_EVENT);
}

static inline void put_event_of(unsigned int kind, uint64_t value)
{
	put_event(kind);
	put(&t.stream, value);
}

static void define(struct block *block)
{
	struct bytes *out = &t.definitions;
	size_t size = block->end - block->start;

	make_room(out, LONGEST + block->count + size);
	block->traced = t.blocks++;
	block->successor = t.blocks;
	put(out, EVENT_DEFINE << 2 | TOKEN_EVENT);
	put(out, block->start);
	put(out, block->count);
	memcpy(out->data + out->size, block->lengths, block->count);
	memcpy(out->data + out->size + block->count, block->code, size);
	out->size += block->count + size;
}

static void put_block(struct lane *lane, struct block *block)
{
	uint32_t guess = lane->block ? lane->block->successor : 0;

	if (unlikely(block->traced == NO_ID))
		define(block);
	if (lane->block)
		lane->block->successor = block->traced;
	put(&t.stream, zigzag((uint64_t)block->traced - guess) << 2 | TOKEN_BLOCK);
	lane->block = block;
	lane->at = 0;
}

static inline void put_access(struct lane *lane, struct access *access, uint64_t address, bool store)
{
	put(&t.stream, (uint64_t)(access->index - lane->at) << 3 | (uint64_t)store << 2 | TOKEN_ACCESS);
	put(&t.stream, zigzag(address - access->last - access->stride));
	access->stride = address - access->last;
	access->last = address;
	lane->at = access->index;
}

/* Those iterations that went on evenly. The guess of the next access is as if each had been written. */
static void put_repeats(struct lane *lane)
{
	const struct iteration *last = &lane->before;
	struct access *access = lane->block->accesses;

	put_event_of(EVENT_REPEAT, lane->repeats);
	for (unsigned int i = 0; i < last->count; i++)
		put(&t.stream, zigzag(lane->strides[i]));
	lane->repeats = 0;
	if (!last->count)
		return;
	access->last = last->accesses[last->count - 1].address;
	access->stride = last->count == 1 ? lane->strides[0] : access->last - last->accesses[last->count - 2].address;
}

static bool goes_on(const struct lane *lane)
{
	for (unsigned int i = 0; i < lane->now.count; i++) {
		if (lane->now.accesses[i].address - lane->before.accesses[i].address != lane->strides[i])
			return false;
	}
	return true;
}

static bool is_alike(const struct iteration *a, const struct iteration *b)
{
	for (unsigned int i = 0; i < a->count && a->count == b->count; i++) {
		if (a->accesses[i].store != b->accesses[i].store)
			return false;
	}
	return a->count == b->count;
}

/* The iteration that runs is over, or was cut short. */
static void close_iteration(struct lane *lane)
{
	struct iteration *now = &lane->now, *before = &lane->before;
	bool alike = is_alike(now, before);

	if (!lane->open)
		return;
	lane->open = false;
	if (lane->repeats && !(alike && goes_on(lane)))
		put_repeats(lane);
	if (!alike) {
		put_block(lane, lane->block);
		for (unsigned int i = 0; i < now->count; i++)
			put_access(lane, lane->block->accesses, now->accesses[i].address, now->accesses[i].store);
	} else if (!lane->repeats++) {
		for (unsigned int i = 0; i < now->count; i++)
			lane->strides[i] = now->accesses[i].address - before->accesses[i].address;
	}
	*before = *now;
}

static void flush(struct lane *lane)
{
	close_iteration(lane);
	if (lane->repeats)
		put_repeats(lane);
}

/* What follows is of this CPU. */
static struct lane *lane_of(unsigned int cpu)
{
	if (unlikely(cpu != t.cpu)) {
		flush(&t.lanes[t.cpu]);
		put_event_of(EVENT_CPU, cpu);
		t.cpu = cpu;
		t.time++;
	}
	make_room(&t.stream, 2 * LONGEST);
	return &t.lanes[cpu];
}

static bool is_asked(uint32_t round)
{
	for (unsigned int i = 0; i < t.round_count; i++) {
		if (t.rounds[i] == round)
			return true;
	}
	return false;
}

static void begin_round(void)
{
	t.on = !t.full && is_asked(t.next_round);
	t.round = t.next_round;
	if (!t.on)
		return;
	put_event_of(EVENT_ROUND, t.round);
	t.time++;
	for (unsigned int i = 0; i < MAX_CPUS; i++)
		t.lanes[i].context = CONTEXTS;
}

static void take_turn(void)
{
	t.turn = false;
	make_room(&t.stream, 4 * LONGEST);
	if (t.on)
		flush(&t.lanes[t.cpu]);
	if (t.next_round != t.round) {
		if (t.on) {
			put_event(EVENT_END);
			t.complete[t.complete_count++] = t.round;
		}
		begin_round();
	}
	if (t.on)
		put_event_of(EVENT_INTERVAL, t.next_interval);
}

static void end_by_budget(void)
{
	flush(&t.lanes[t.cpu]);
	put_event(EVENT_CUT);
	t.full = true;
	t.on = false;
}

int trace_ask(const char *path, const char *rounds, uint64_t budget)
{
	char *end = NULL;

	t.path = path;
	t.budget = budget;
	for (const char *next = rounds; next && t.round_count < MAX_ROUNDS; next = *end == ':' ? end + 1 : NULL)
		t.rounds[t.round_count++] = (uint32_t)strtoul(next, &end, 10);
	return !end || *end || !budget ? -1 : 0;
}

void trace_start(const char *target, unsigned int intervals)
{
	t.target = target;
	t.intervals = intervals;
	make_room(&t.stream, 1 << 20);
	for (uint32_t i = 0; i < PAGE_SLOTS; i++)
		pages[i].page = UINT64_MAX;
}

struct access *trace_accesses(const struct arch *arch, struct block *block)
{
	const uint8_t *code = block->code;

	if (block->accesses)
		return block->accesses;
	block->accesses = allocate(block->count * sizeof(*block->accesses));
	for (uint32_t i = 0; i < block->count; i++) {
		block->accesses[i].block = block;
		block->accesses[i].index = i;
		block->moves_pages |= !arch->moves_pages || arch->moves_pages(code, block->lengths[i]);
		code += block->lengths[i];
	}
	return block->accesses;
}

void trace_turn(uint32_t round, unsigned int interval)
{
	t.turn = true;
	t.next_round = round;
	t.next_interval = interval;
}

void trace_block(unsigned int cpu, struct block *block, enum context seen)
{
	enum context context = seen >= CONTEXT_WORK ? CONTEXT_OTHER : seen; /* a trace knows no deferred work */
	struct lane *lane;

	if (unlikely(t.turn))
		take_turn();
	t.lanes[cpu].newest = t.on;
	if (!t.on)
		return;
	if (unlikely(t.stream.size + t.definitions.size > t.budget)) {
		end_by_budget();
		return;
	}
	lane = lane_of(cpu);
	if (unlikely(t.moving | block->moves_pages)) {
		t.time++;
		t.moving = block->moves_pages;
	}
	if (lane->block == block && block_repeats(block) && lane->context == context) {
		close_iteration(lane);
		lane->open = true;
		lane->now.count = 0;
		return;
	}
	flush(lane);
	if (unlikely(lane->context != context)) {
		lane->context = context;
		put_event_of(EVENT_CONTEXT, context);
	}
	put_block(lane, block);
	lane->before.count = 0;
}

/* Tells the reader where the page lies; a device, or what QEMU does not know any more, is left out. */
static void place_page(struct lane *lane, uint32_t info, uint64_t address)
{
	uint64_t page = address >> PAGE_SHIFT, frame;
	uint32_t slot = (uint32_t)(page * 0x9e3779b97f4a7c15u >> 48) % PAGE_SLOTS;
	const struct qemu_plugin_hwaddr *found;

	if (pages[slot].page == page && pages[slot].asked == t.time)
		return;
	found = qemu_plugin_get_hwaddr(info, address);
	if (!found || qemu_plugin_hwaddr_is_io(found))
		return;
	frame = qemu_plugin_hwaddr_phys_addr(found) >> PAGE_SHIFT;
	pages[slot].asked = t.time;
	if (pages[slot].page == page && pages[slot].frame == frame)
		return;
	pages[slot].page = page;
	pages[slot].frame = frame;
	if (lane->repeats)
		put_repeats(lane);
	put_event_of(EVENT_PAGE, zigzag(page - t.last_page));
	put(&t.stream, frame);
	t.last_page = page;
}

static void note(struct iteration *iteration, uint64_t address, bool store)
{
	iteration->accesses[iteration->count++] = (struct touched){ address, store };
}

void trace_access(unsigned int cpu, struct access *access, uint32_t info, uint64_t address)
{
	bool store = qemu_plugin_mem_is_store(info);
	struct access *own = access;
	struct lane *lane;

	if (!t.on)
		return;
	lane = lane_of(cpu);
	if (!lane->block)
		return;
	place_page(lane, info, address);
	if (unlikely(access->block != lane->block)) {
		/* QEMU made a block of its own for one instruction, which accesses a device. */
		uint64_t at = access->block->start;

		for (uint32_t i = 0; i < access->index; i++)
			at += access->block->lengths[i];
		own = &lane->block->accesses[block_index(lane->block, at)];
	}
	if (own->index < lane->at)
		return; /* of no instruction of the block that began */
	if (lane->open && lane->now.count < MAX_FOLDED) {
		note(&lane->now, address, store);
		return;
	}
	if (unlikely(lane->open))
		return; /* no string instruction has so many */
	put_access(lane, own, address, store);
	if (block_repeats(lane->block) && lane->before.count < MAX_FOLDED)
		note(&lane->before, address, store);
}

size_t trace_leave(unsigned int cpu, bool certain)
{
	struct lane *lane;

	/* Of another CPU's block that is known only when the round is over, too. */
	if (t.full || !t.lanes[cpu].newest)
		return 0;
	lane = lane_of(cpu);
	flush(lane);
	put_event(EVENT_LEFT);
	t.stream.data[t.stream.size++] = certain ? 0x80 : 0xff; /* room for 14 bits; all set: it was not left */
	t.stream.data[t.stream.size++] = certain ? 0 : 0x7f;
	return t.stream.size - 2;
}

void trace_executed(size_t place, uint32_t instructions)
{
	if (!place)
		return;
	t.stream.data[place] = (uint8_t)((instructions + 1) | 0x80);
	t.stream.data[place + 1] = (uint8_t)((instructions + 1) >> 7);
}

void trace_switch(unsigned int cpu)
{
	if (!t.on)
		return;
	flush(lane_of(cpu));
	put_event(EVENT_SWITCH);
}

static void put_rounds(FILE *out, const uint32_t *rounds, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		fprintf(out, " %" PRIu32, rounds[i]);
}

int trace_close(void)
{
	FILE *out = fopen(t.path, "we");

	if (!out)
		return -1;
	t.next_round = 0;
	take_turn();
	fprintf(out, "kassay-trace/1\ntarget %s\nintervals %u\nrounds", t.target, t.intervals);
	put_rounds(out, t.rounds, t.round_count);
	fputs("\ncomplete", out);
	put_rounds(out, t.complete, t.complete_count);
	fprintf(out, "\ncut %d\n\n", t.full);
	fwrite(t.definitions.data, 1, t.definitions.size, out);
	fwrite(t.stream.data, 1, t.stream.size, out);
	return ferror(out) | fclose(out) ? -1 : 0;
}
