// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline.h"

#include "atomic.h"
#include "branch.h"
#include "charge.h"
#include "front.h"
#include "issue.h"
#include "memory.h"
#include "params.h"
#include "redirect.h"
#include "registers.h"
#include "store.h"
#include "string_insn.h"
#include "tlb.h"
#include "watch.h"
#include "window.h"

#define SMALL_STORES 16 /* stores of one instruction */
#define RENAMED 2       /* micro-ops of an instruction whose operand in memory can be renamed */

struct value registers[REGISTERS];

static struct {
	bool stack_moved;              /* by the front end, since its value was needed */
	uint64_t number;               /* of this instruction */
	uint64_t name;                 /* of what its address is made of */
	uint64_t loads_from;           /* no load issues before: a fence or an atomic operation */
	uint64_t atomic_value;         /* when what the last atomic operation loaded is there */
	uint64_t branch_done;          /* of the last instruction */
	bool faulted;                  /* the next access of the user is the one that faulted */
	uint64_t string;               /* address of the repeated instruction that was executed last, and one */
} p;

void pipeline_start(uint32_t placement)
{
	memory_start(placement);
	tlb_start();
	branch_start();
	front_start();
	window_start();
}

static uint64_t translate(const struct insn *insn, const struct access *access, uint64_t cycle)
{
	if (p.faulted && !(insn->address >> 63)) {
		p.faulted = false;
		tlb_drop(access->address);
	}
	return tlb_translate(access->address, access->physical, cycle);
}

/* Books the ports of loads, or all others; the cycle of issue. */
static INLINE uint64_t issue(const struct insn *insn, bool load, uint64_t from)
{
	const struct port_group *group = insn->ports + (load ? insn->others : 0);
	const struct port_group *end = insn->ports + (load ? insn->groups : insn->others);
	uint64_t issued = from;

	for (; group < end; group++)
		issued = later(issued, issue_book(group->mask, group->count, from));
	return issued;
}

static bool crosses_line(uint64_t physical, unsigned int bytes)
{
	return (physical & 63) + bytes > 64;
}

/* The loads of an instruction issue in @cycle; when the last value is there. */
static uint64_t load(struct insn *insn, struct charge *charge, const struct access *accesses, uint32_t count,
		     uint64_t cycle)
{
	unsigned int bytes = insn->load_bytes ? insn->load_bytes : 8;
	uint64_t done = cycle, translated = cycle, value = 0;
	enum cause level = CAUSE_L1;
	uint64_t same = insn->traits & BASED ? NAME_OF_ANY : p.number, name = params.forward_based ? same : p.name;
	bool chases = params.l1d_chase && insn->traits & NEAR_BASE && registers_is_loaded(insn->registers[0]);

	for (const struct access *a = accesses; a < accesses + count; a++) {
		uint64_t begin;
		struct arrival arrival;

		if (a->store)
			continue;
		begin = translate(insn, a, cycle);
		translated = later(translated, begin);
		if (params.stride_distance)
			memory_stride(insn->habit, a->physical, begin);
		if (store_forwards(a->physical, bytes, name, begin, &value)) {
			arrival = (struct arrival){ value, CAUSE_STORES };
		} else {
			arrival = memory_access(a->physical >> LINE_SHIFT, begin, false);
			if (crosses_line(a->physical, bytes)) {
				value = memory_access((a->physical >> LINE_SHIFT) + 1, begin, false).ready;
				arrival.ready = later(arrival.ready, value) + cycles(params.line_split);
			} else if (chases && arrival.ready == begin + cycles(params.l1d_latency)) {
				arrival.ready = begin + cycles(params.l1d_chase);
			}
		}
		if (arrival.ready > done) {
			done = arrival.ready;
			level = arrival.level;
		}
	}
	charge_step(charge, translated, CAUSE_TLB);
	charge_step(charge, done, level);
	return done;
}

/* Cycles from the end of an atomic to a load of what it stored: no more than from any other store. */
static uint64_t forwarded_after(void)
{
	uint64_t latency = cycles(params.lock_latency), reload = cycles(params.lock_reload);
	uint64_t forward = cycles(params.store_forward);

	return reload < latency ? 0 : reload - latency < forward ? reload - latency : forward;
}

/* An atomic read-modify-write. @value: when what an exchange stores is there; its load does not wait for that. */
static uint64_t atomic(struct insn *insn, struct charge *charge, const struct access *access, uint64_t from,
		       uint64_t value)
{
	unsigned int bytes = insn->store_bytes ? insn->store_bytes : 8;
	uint64_t begin = from, done, asked, reload;
	struct arrival arrival;

	statistics.atomics++;
	if (params.lock_drains_stores)
		begin = later(begin, store_drained());
	charge_step(charge, begin, CAUSE_STORES);
	if (params.lock_at_head)
		begin = later(begin, window.retired);
	begin = atomic_begin(access->physical, p.number, later(begin, p.loads_from));
	charge_step(charge, begin, CAUSE_ATOMICS);
	begin = later(issue(insn, true, begin), issue(insn, false, begin));
	charge_step(charge, begin, CAUSE_PORTS);
	asked = params.lock_fetches ? registers_ready(insn->registers, insn->address_reads, charge->dispatched) : begin;
	asked = translate(insn, access, asked);
	charge_step(charge, later(begin, asked), CAUSE_TLB);
	arrival = memory_access(access->physical >> LINE_SHIFT, asked, true);
	begin = later(begin, arrival.ready - cycles(params.l1d_latency));
	charge_step(charge, begin, arrival.level);
	done = begin + cycles(params.lock_latency);
	charge_step(charge, done, CAUSE_ATOMICS);
	if (params.lock_blocks_loads)
		p.loads_from = later(p.loads_from, done);
	store_forwards(access->physical, bytes, 0, done, &done); /* an exchange before it may not have its value yet */
	charge_step(charge, done, CAUSE_STORES);
	p.atomic_value = done - cycles(params.lock_latency) + cycles(params.lock_value);
	reload = later(begin + cycles(params.lock_reload), done + forwarded_after());
	reload = later(reload, value + cycles(params.store_forward));
	store_atomic(access->physical, bytes, later(done, value), reload);
	return done;
}

/* Instructions that the core does not overlap with others. */
static uint64_t alone(const struct insn *insn, struct charge *charge, uint32_t function, uint64_t from)
{
	enum cause cause = CAUSE_SERIALISING;
	uint64_t begin = later(from, window.retired), cost = insn->fixed;

	switch (insn->kind) {
	case SYSCALL:
	case SYSRETURN:
		cause = CAUSE_RINGS;
		break;
	case FLUSH_ALL:
		cause = CAUSE_TLB;
		statistics.flushes_all++;
		tlb_flush_user();
		break;
	case FLUSH_PAGE:
		cause = CAUSE_TLB;
		statistics.flushes_page++;
		tlb_flush_page();
		break;
	case FENCE_LOAD:
		cost = later(cost, cycles(params.fence_load));
		statistics.fences++;
		break;
	default:
		statistics.serialised++;
	}
	if (insn->kind == SERIALIZE)
		begin = later(begin, store_drained());
	charge_step(charge, begin, cause);
	charge_step(charge, begin + cost, cause);
	window_redirect(begin + cost, cause, function);
	if (insn->kind != FENCE_LOAD)
		front_wait(begin + cost);
	return begin + cost;
}

static uint64_t fence(struct charge *charge, uint64_t from)
{
	uint64_t begin = later(later(from, window.retired), store_fenced());

	statistics.fences++;
	charge_step(charge, begin, CAUSE_STORES);
	begin += cycles(params.fence_full);
	charge_step(charge, begin, CAUSE_SERIALISING);
	p.loads_from = later(p.loads_from, begin);
	return begin;
}

/* Loads, if any, and what is computed. */
static uint64_t compute(struct insn *insn, struct charge *charge, const struct access *accesses, uint32_t count,
			unsigned int loads, uint64_t from)
{
	const uint8_t *data = insn->registers + insn->address_reads;
	uint64_t begin = registers_ready(insn->registers, insn->address_reads, from), done;
	enum cause cause = insn->kind == UNKNOWN ? CAUSE_UNKNOWN_COST : CAUSE_DEPENDENCY;

	charge->addressed = begin;
	if (loads) {
		charge_step(charge, begin, CAUSE_DEPENDENCY);
		if (p.loads_from > begin) {
			begin = p.loads_from;
			charge_step(charge, begin, CAUSE_ATOMICS);
		}
		begin = issue(insn, true, begin);
		charge_step(charge, begin, CAUSE_PORTS);
		charge->addressed = begin;
		begin = load(insn, charge, accesses, count, begin);
	}
	done = registers_ready(data, insn->reads - insn->address_reads, begin);
	charge_step(charge, done, CAUSE_DEPENDENCY);
	begin = issue(insn, false, done);
	charge_step(charge, begin, CAUSE_PORTS);
	charge->issued = begin;
	done = begin + insn->latency;
	charge_step(charge, done, cause);
	if (insn->fixed) {
		uint64_t busy = charge->dispatched + insn->fixed;

		window_redirect(busy, CAUSE_SERIALISING, charge->function);
		done = later(done, busy);
		charge_step(charge, done, CAUSE_SERIALISING);
	}
	return done;
}

/* Its micro-ops are dispatched for as long as it takes; they wait for its operands, and dispatch does not. */
static uint64_t string(struct insn *insn, struct charge *charge, const struct access *accesses, uint32_t count,
		       uint64_t from)
{
	uint64_t done = string_begin(insn, accesses, count, insn->address + 1 == p.string, from);

	charge_step(charge, from, CAUSE_DEPENDENCY);
	charge_step(charge, done, CAUSE_STRINGS);
	window_redirect(charge->dispatched + done - from, CAUSE_STRINGS, charge->function);
	return done;
}

static uint64_t run(struct insn *insn, struct charge *charge, const struct access *accesses, uint32_t count,
		    unsigned int loads, uint64_t from)
{
	if (insn->lock && count) {
		uint64_t value = registers_all_ready(insn, from);

		from = insn->lock == LOCK_EXCHANGES ? registers_ready(insn->registers, insn->address_reads, from) : value;
		charge_step(charge, from, CAUSE_DEPENDENCY);
		return atomic(insn, charge, accesses, from, value);
	}
	switch (insn->kind) {
	case NOP:
	case ZERO:
	case FENCE_STORE:
		return from;
	case MOVE:
		return registers_all_ready(insn, from);
	case FENCE_FULL:
		return fence(charge, from);
	case FENCE_LOAD:
	case SYSCALL:
	case SYSRETURN:
	case SERIALIZE:
	case FLUSH_ALL:
	case FLUSH_PAGE:
		return alone(insn, charge, charge->function, from);
	case REPEAT:
		return string(insn, charge, accesses, count, registers_all_ready(insn, from));
	default:
		return compute(insn, charge, accesses, count, loads, from);
	}
}

/* Its stores leave for the cache; the value is there in @done. */
static void drain(const struct insn *insn, const struct access *accesses, uint32_t count, uint64_t done,
		  uint64_t retired)
{
	unsigned int bytes = insn->store_bytes ? insn->store_bytes : 8;

	if (!insn->load_bytes && !insn->writes)
		done -= insn->latency; /* the value was there before */
	for (const struct access *a = accesses; a < accesses + count; a++) {
		if (!a->store)
			continue;
		if (insn->lock || insn->kind == REPEAT) {
			window_store(done);
			continue;
		}
		window_store(store_drain(a->physical, bytes, p.name, done, later(retired, translate(insn, a, done))));
		atomic_store(a->physical, p.number);
	}
}

/* The micro-ops that the front end puts before @insn to have the stack pointer's value. */
static unsigned int synchronise(const struct insn *insn)
{
	bool needed = p.stack_moved && insn->traits & USES_STACK && params.stack_sync;

	p.stack_moved = insn->traits & MOVES_STACK || (p.stack_moved && !needed);
	return needed;
}

/* Its micro-ops wait: loads and addresses of stores in a scheduler of their own, where there is one. */
static void wait_in_schedulers(const struct insn *insn, const struct charge *charge, unsigned int loads, uint32_t count)
{
	if (!params.memory_scheduler) {
		issue_wait(SCHEDULER, charge->dispatched, loads ? charge->addressed : charge->issued, insn->uops);
		return;
	}
	issue_wait(MEMORY_SCHEDULER, charge->dispatched, charge->addressed, count);
	issue_wait(SCHEDULER, charge->dispatched, charge->issued, insn->computed);
}

/*
 * Dispatches an instruction of the stack pointer or of many micro-ops. A switch to the microcode sequencer takes time,
 * and no other micro-ops are dispatched in its cycles.
 */
static NOINLINE uint64_t dispatch_specially(const struct insn *insn, uint32_t function, unsigned int *uops,
					    unsigned int loads, unsigned int stores)
{
	unsigned int synchronised = synchronise(insn);
	uint64_t cycle;

	*uops += synchronised;
	if (insn->microcode)
		window_redirect(window.front + !!window.dispatched + cycles(params.microcode_switch), CAUSE_WIDTH, function);
	cycle = window_dispatch(*uops, insn->computed, loads, stores);
	if (insn->microcode)
		window.dispatched = params.width;
	if (synchronised)
		registers[STACK_POINTER].ready = later(registers[STACK_POINTER].ready, cycle + 1) + 1;
	return cycle;
}

/* Dispatches @insn as @uops micro-ops; the cycle of the last one. */
static INLINE uint64_t dispatch(const struct insn *insn, uint32_t function, unsigned int *uops, unsigned int loads,
				unsigned int stores)
{
	uint64_t missed, supply = front_supply(insn, window.front, &missed);

	if (supply > window.front)
		window_redirect(supply, missed > window.front ? CAUSE_ICACHE : CAUSE_WIDTH, function);
	p.number++;
	*uops = insn->slots;
	if (stores > SMALL_STORES)
		stores = SMALL_STORES;
	if (insn->special)
		return dispatch_specially(insn, function, uops, loads, stores);
	return window_dispatch(*uops, insn->computed, loads, stores);
}

/* Needs no memory and no way of its own, as most. Its steps are named only if the core waits for it. */
static void execute_simple(const struct insn *insn, uint32_t function)
{
	unsigned int uops;
	uint64_t dispatched = dispatch(insn, function, &uops, 0, 0), before = window.retired, now;
	uint64_t begin = registers_all_ready(insn, dispatched + 1);
	uint64_t issued = begin, done = begin;

	if (insn->simple == COMPUTES) {
		issued = issue(insn, false, begin);
		done = issued + insn->latency;
		if (insn->uops && insn->groups)
			issue_wait(SCHEDULER, dispatched, issued, params.memory_scheduler ? insn->computed : insn->uops);
	}
	registers_write(insn, p.number, done);
	p.branch_done = done;
	p.string = 0;
	now = window_retire(uops, done);
	if (done > before) {
		struct charge charge = { .function = function, .dispatched = dispatched };

		charge_begin(&charge, dispatched + 1);
		if (insn->simple == COMPUTES) {
			charge_step(&charge, begin, CAUSE_DEPENDENCY);
			charge_step(&charge, issued, CAUSE_PORTS);
			charge_step(&charge, done, CAUSE_DEPENDENCY);
		}
		charge_retire(&charge, before, now, done);
	} else {
		charge_passed(function, before, now, done);
	}
}

static void execute(struct insn *insn, uint32_t function, const struct access *accesses, uint32_t count)
{
	unsigned int stores = 0, loads, uops;
	struct charge charge;
	uint64_t done, retired;

	for (uint32_t n = 0; n < count; n++)
		stores += accesses[n].store;
	loads = count - stores;
	charge.function = function;
	charge.dispatched = charge.issued = charge.addressed = dispatch(insn, function, &uops, loads, stores);
	p.name = !count || insn->uops > RENAMED ? p.number : registers_name(insn);
	charge_begin(&charge, charge.dispatched + 1);
	done = run(insn, &charge, accesses, count, loads, charge.dispatched + 1);
	if (insn->uops && insn->groups)
		wait_in_schedulers(insn, &charge, loads, count);
	registers_write(insn, p.number, insn->lock && count ? p.atomic_value : done);
	p.branch_done = done;
	p.string = insn->kind == REPEAT ? insn->address + 1 : 0;
	if (insn->kind == UNKNOWN)
		statistics.unknown_instructions++;
	retired = window.retired;
	charge_retire(&charge, retired, window_retire(uops, done), done);
	for (unsigned int n = 0; n < loads; n++)
		window_load(window.retired);
	if (stores)
		drain(insn, accesses, count, done, window.retired);
}

void pipeline_block(struct block *block, uint32_t limit, const struct access *accesses, uint32_t count)
{
	const struct access *end = accesses + count;
	uint32_t next = count ? accesses->index : UINT32_MAX;

	for (uint32_t n = 0; n < limit; n++) {
		const struct access *first = accesses;
		struct insn *insn = &block->insns[n];

		if (n == next) {
			while (accesses < end && accesses->index == n)
				accesses++;
			next = accesses < end ? accesses->index : UINT32_MAX;
		}
		if (insn->simple && accesses == first)
			execute_simple(insn, block->function);
		else if (insn->kind != REMOVED)
			execute(insn, block->function, first, (uint32_t)(accesses - first));
		if (watching)
			watch_insn(block, n, first, (uint32_t)(accesses - first));
	}
}

void pipeline_follow(const struct block *block, const struct block *next)
{
	if (jumps(&block->insns[block->count - 1]))
		redirect_branch(block, next, p.branch_done);
}

void pipeline_repeat(struct block *block, const struct access *accesses, const int64_t *strides, uint32_t count,
		     uint64_t times)
{
	const struct insn *insn = &block->insns[block->count - 1];
	uint64_t before = p.branch_done, done;

	if (insn->kind == REMOVED)
		return;
	if (watching)
		watch_repeat(block, accesses, strides, count, times);
	done = string_go_on(insn, accesses, strides, count, times, before);
	charge_string(block->function, window.retired, later(window.retired, done), times);
	window_retire(0, done);
	window_redirect(window.front + done - before, CAUSE_STRINGS, block->function);
	p.branch_done = done;
	registers_write(insn, p.number, done);
}

void pipeline_exception(const struct block *block)
{
	statistics.faults++;
	p.faulted = true;
	redirect_enter(block, params.exception_entry);
}

void pipeline_interrupt(const struct block *block)
{
	statistics.interrupts++;
	redirect_enter(block, params.interrupt_entry);
}
