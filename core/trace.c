// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "pages.h"
#include "pipeline.h"
#include "text.h"
#include "tlb.h"
#include "watch.h"

#define MOST_ACCESSES 65536 /* of one execution of a block */
#define MOST_CPUS 64
#define MOST_FOLDED 8
#ifndef LONGEST_STRING /* fuzzing has shorter ones */
#define LONGEST_STRING (1ULL << 27) /* bytes between two interrupts: ten milliseconds of 8 bytes a nanosecond, and more */
#endif
#define NOT_LEFT 0x3fff /* an interrupt came behind the block, which had been executed to its end */

enum { TOKEN_BLOCK, TOKEN_ACCESS, TOKEN_EVENT };

enum {
	EVENT_DEFINE, EVENT_PAGE, EVENT_ROUND, EVENT_INTERVAL, EVENT_CONTEXT, EVENT_CPU, EVENT_LEFT, EVENT_REPEAT,
	EVENT_END, EVENT_CUT, EVENT_SWITCH,
};

/* What ran last on one virtual CPU. */
struct vcpu {
	struct block *block;
	bool pending;    /* it is not given to the core yet */
	bool follows;    /* the block that comes goes on behind it */
	bool left;       /* in its middle; the block that comes enters an exception, or goes on there */
	uint32_t at;     /* instruction of the last access */
	uint32_t limit;  /* instructions that are executed */
	uint32_t count;
	struct access *accesses;
};

static struct {
	const char *path;
	const uint8_t *data, *next, *end;
	uint32_t defined;
	uint64_t last_page;
	uint32_t round, interval, context, cpu;
	struct vcpu vcpus[MOST_CPUS];
	struct vcpu *vcpu;
} t;

static void wrong(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void wrong(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: byte %zu: ", t.path, (size_t)(t.next - t.data));
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

static inline uint64_t number(void)
{
	uint64_t value = 0;

	if (t.next < t.end && *t.next < 0x80) /* most are small */
		return *t.next++;
	for (unsigned int shift = 0; t.next < t.end && shift < 70; shift += 7) {
		uint8_t byte = *t.next++;

		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		if (!(byte & 0x80))
			return value;
	}
	wrong("the trace ends within a number");
}

static inline uint64_t zigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

/* The block that ran last goes to the core, with its accesses. */
static void flush(struct vcpu *vcpu)
{
	if (!vcpu->pending)
		return;
	vcpu->pending = false;
	pipeline_block(vcpu->block, vcpu->limit, vcpu->accesses, vcpu->count);
}

/* Not the CPU, but the emulator alone ended the block there. */
static bool goes_on(const struct vcpu *vcpu, const struct block *now)
{
	return vcpu->limit < vcpu->block->count && now->start == vcpu->block->insns[vcpu->limit].address;
}

static void block(uint64_t value)
{
	struct vcpu *vcpu = t.vcpu;
	uint64_t id = zigzag(value);
	struct block *now;

	if (vcpu->block)
		id += vcpu->block->successor;
	id &= UINT32_MAX;
	if (id >= t.defined)
		wrong("block %u is not defined", (unsigned int)id);
	now = &program.blocks[id];
	flush(vcpu);
	if (vcpu->left && !goes_on(vcpu, now))
		pipeline_exception(vcpu->block);
	vcpu->left = false;
	if (vcpu->block) {
		vcpu->block->successor = (uint32_t)id;
		if (vcpu->follows)
			pipeline_follow(vcpu->block, now);
	}
	vcpu->block = now;
	vcpu->pending = vcpu->follows = true;
	vcpu->at = vcpu->count = 0;
	vcpu->limit = now->count;
}

/* The emulator makes two accesses of 8 bytes of one of 16. */
static bool goes_with(const struct vcpu *vcpu, uint64_t address, bool store)
{
	const struct insn *insn = &vcpu->block->insns[vcpu->at];
	const struct access *last = vcpu->accesses + vcpu->count - 1;
	unsigned int bytes = store ? insn->store_bytes : insn->load_bytes;

	return vcpu->count && bytes > 8 && last->index == vcpu->at && last->store == store &&
	       address > last->address && address - last->address < bytes;
}

static void access_token(uint64_t value)
{
	struct vcpu *vcpu = t.vcpu;
	struct habit *habit;
	uint64_t address;

	if (!vcpu->pending)
		wrong("an access of no block");
	vcpu->at += (uint32_t)(value >> 1);
	if (vcpu->at >= vcpu->block->count || vcpu->count == MOST_ACCESSES)
		wrong("an access of instruction %u", vcpu->at);
	habit = vcpu->block->insns[vcpu->at].habit;
	address = habit->guess + habit->stride + zigzag(number());
	habit->stride = address - habit->guess;
	habit->guess = address;
	if (goes_with(vcpu, address, value & 1))
		return;
	account_accesses(vcpu->block->insns[vcpu->at].kind != REMOVED);
	vcpu->accesses[vcpu->count++] = (struct access){ address, pages_physical(address), vcpu->at, value & 1 };
}

static void define(void)
{
	uint64_t start = number(), count = number(), size = 0;

	if (t.defined >= program.count || !program.blocks[t.defined].known)
		wrong("block %u is not in the program", t.defined);
	if (program.blocks[t.defined].start != start || program.blocks[t.defined].count != count ||
	    count > (uint64_t)(t.end - t.next))
		wrong("block %u is another one in the program", t.defined);
	for (uint64_t n = 0; n < count; n++)
		size += t.next[n];
	t.next += count;
	if (size > (uint64_t)(t.end - t.next))
		wrong("the trace ends within a block");
	t.next += size;
	program.blocks[t.defined].successor = t.defined + 1;
	t.defined++;
}

static void page(void)
{
	uint64_t virtual = t.last_page + zigzag(number()), frame = number();

	t.last_page = virtual;
	/* A page that lies elsewhere now was mapped anew: its translation was flushed. */
	if (pages_find(virtual) != frame)
		tlb_drop(virtual << 12);
	pages_put(virtual, frame);
}

/* Bytes of a cache line that one element uses up, the gap behind it included. */
static uint64_t bytes_of_a_line(int64_t stride)
{
	uint64_t bytes = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;

	return bytes < 1 ? 1 : bytes < 64 ? bytes : 64;
}

/* The last @limit accesses of the block are its iteration. After it each access is at its place after @times. */
static void repeat(void)
{
	struct vcpu *vcpu = t.vcpu;
	uint64_t times = number();
	int64_t strides[MOST_FOLDED] = { 0 };
	struct habit *habit;

	if (!vcpu->block)
		wrong("a repetition of no block");
	if (vcpu->count > MOST_FOLDED)
		wrong("a repetition with %u accesses", vcpu->count);
	habit = vcpu->block->insns[vcpu->block->count - 1].habit;
	for (uint32_t n = 0; n < vcpu->count; n++) {
		strides[n] = (int64_t)zigzag(number());
		if (times > LONGEST_STRING / bytes_of_a_line(strides[n]))
			wrong("a repetition that touches more than 128 MiB");
	}
	flush(vcpu);
	pipeline_repeat(vcpu->block, vcpu->accesses, strides, vcpu->count, times);
	account_accesses(vcpu->block->insns[vcpu->block->count - 1].kind != REMOVED ? vcpu->count * times : 0);
	for (uint32_t n = 0; n < vcpu->count; n++)
		vcpu->accesses[n].address += (uint64_t)strides[n] * times;
	if (!vcpu->count)
		return;
	habit->guess = vcpu->accesses[vcpu->count - 1].address;
	habit->stride = vcpu->count == 1 ? (uint64_t)strides[0] : habit->guess - vcpu->accesses[vcpu->count - 2].address;
}

/* Left in its middle: what was executed is known, or goes to the first instruction after its last access that has one. */
static void left(uint64_t value)
{
	struct vcpu *vcpu = t.vcpu;

	if (!vcpu->block || value == NOT_LEFT)
		return;
	if (value) {
		vcpu->limit = value - 1 < vcpu->block->count ? (uint32_t)(value - 1) : vcpu->block->count;
	} else {
		uint32_t n = vcpu->count ? vcpu->at + 1 : 0;

		while (n < vcpu->block->count && !vcpu->block->insns[n].load_bytes && !vcpu->block->insns[n].store_bytes)
			n++;
		vcpu->limit = n;
	}
	flush(vcpu);
	vcpu->follows = false;
	vcpu->left = true;
}

static void context(uint64_t now)
{
	flush(t.vcpu);
	t.vcpu->follows = false;
	account_context((uint32_t)now);
	watch_context((uint32_t)now);
	if (now == 1 && t.vcpu->block) {
		pipeline_interrupt(t.vcpu->block);
		t.vcpu->left = false; /* the interrupt is what left it */
	}
	t.context = (uint32_t)now;
}

static void cpu(uint64_t index)
{
	flush(t.vcpu);
	if (index >= MOST_CPUS)
		wrong("CPU %u", (unsigned int)index);
	t.vcpu = &t.vcpus[index];
	if (!t.vcpu->accesses)
		t.vcpu->accesses = allocate(MOST_ACCESSES, sizeof(struct access));
	if (index + 1 > statistics.cpus)
		statistics.cpus = index + 1;
}

/* Whether the trace goes on. */
static bool event(uint64_t kind)
{
	switch (kind) {
	case EVENT_DEFINE:
		define();
		break;
	case EVENT_PAGE:
		page();
		break;
	case EVENT_ROUND:
		flush(t.vcpu);
		t.vcpu->follows = false;
		t.round = (uint32_t)number();
		break;
	case EVENT_INTERVAL:
		flush(t.vcpu);
		t.interval = (uint32_t)number();
		account_turn(t.round, t.interval);
		watch_turn(t.round, t.interval);
		break;
	case EVENT_CONTEXT:
		context(number());
		break;
	case EVENT_CPU:
		cpu(number());
		break;
	case EVENT_LEFT:
		left(number());
		break;
	case EVENT_REPEAT:
		repeat();
		break;
	case EVENT_END:
		flush(t.vcpu);
		break;
	case EVENT_CUT:
		return false;
	case EVENT_SWITCH:
		/* In the middle of the block that loads the other stack pointer, which goes on. */
		statistics.switches++;
		break;
	default:
		wrong("an event of kind %u", (unsigned int)kind);
	}
	return true;
}

void trace_replay(const char *path)
{
	struct text file = text_open(path);
	char *body = strstr(file.bytes, "\n\n");

	t.path = path;
	t.data = t.next = (const uint8_t *)file.bytes;
	if (strncmp(file.bytes, "kassay-trace/1\n", 15) || !body)
		wrong("this is no kassay-trace/1");
	t.next = (const uint8_t *)body + 2;
	t.end = t.data + file.size;
	t.vcpu = t.vcpus;
	cpu(0);
	while (t.next < t.end) {
		uint64_t value = number();

		switch (value & 3) {
		case TOKEN_BLOCK:
			block(value >> 2);
			break;
		case TOKEN_ACCESS:
			access_token(value >> 2);
			break;
		case TOKEN_EVENT:
			if (!event(value >> 2)) {
				t.next = t.end;
				break;
			}
			break;
		default:
			wrong("a token of an unknown kind");
		}
	}
	flush(t.vcpu);
	text_close(&file);
}
