// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <linux/io_uring.h>
#include <stddef.h>

#include "peek.h"
#include "ring.h"

#define MOST_RINGS 16
#define LONG_ENTRIES (1U << 10) /* IORING_SETUP_SQE128 */
#define NO_INDICES (1U << 16)	/* IORING_SETUP_NO_SQARRAY */

static struct ring {
	uint64_t file, flags, indices, entries; /* addresses where they are mapped, 0 before */
	uint64_t head, tail, mask, array;	/* offsets from @indices */
	bool made;
} rings[MOST_RINGS];

static struct ring *ring_of(uint64_t file)
{
	for (size_t i = 0; i < MOST_RINGS; i++) {
		if (rings[i].made && rings[i].file == file)
			return &rings[i];
	}
	return NULL;
}

static void note_new(pid_t pid, uint64_t file, uint64_t params)
{
	uint64_t offsets = params + offsetof(struct io_uring_params, sq_off);
	struct ring *ring = ring_of(file);

	for (size_t i = 0; !ring && i < MOST_RINGS; i++) {
		if (!rings[i].made)
			ring = &rings[i];
	}
	if (!ring)
		return;
	*ring = (struct ring){
		.made = true,
		.file = file,
		.flags = half_at(pid, params + offsetof(struct io_uring_params, flags)),
		.head = half_at(pid, offsets + offsetof(struct io_sqring_offsets, head)),
		.tail = half_at(pid, offsets + offsetof(struct io_sqring_offsets, tail)),
		.mask = half_at(pid, offsets + offsetof(struct io_sqring_offsets, ring_mask)),
		.array = half_at(pid, offsets + offsetof(struct io_sqring_offsets, array)),
	};
}

void ring_note(pid_t pid, uint64_t number, const uint64_t *args, uint64_t returned)
{
	struct ring *ring;

	if (number == __NR_io_uring_setup)
		note_new(pid, returned, args[1]);
	else if (number == __NR_mmap && (ring = ring_of((uint32_t)args[4]))) {
		if (args[5] == IORING_OFF_SQ_RING)
			ring->indices = returned;
		else if (args[5] == IORING_OFF_SQES)
			ring->entries = returned;
	} else if (number == __NR_close && (ring = ring_of((uint32_t)args[0]))) {
		ring->made = false;
	}
}

bool ring_submits(pid_t pid, const uint64_t *args, uint32_t *ret_count)
{
	const struct ring *ring = ring_of((uint32_t)args[0]);
	uint32_t waiting;

	if (!ring || !ring->indices || !ring->entries)
		return false;
	waiting = half_at(pid, ring->indices + ring->tail) - half_at(pid, ring->indices + ring->head);
	*ret_count = (uint32_t)args[1] < waiting ? (uint32_t)args[1] : waiting;
	return true;
}

uint64_t ring_entry(pid_t pid, const uint64_t *args, uint32_t index)
{
	const struct ring *ring = ring_of((uint32_t)args[0]);
	uint64_t at = (half_at(pid, ring->indices + ring->head) + index) & half_at(pid, ring->indices + ring->mask);
	size_t size = sizeof(struct io_uring_sqe) << (ring->flags & LONG_ENTRIES ? 1 : 0);

	if (!(ring->flags & NO_INDICES))
		at = half_at(pid, ring->indices + ring->array + at * sizeof(uint32_t));
	return ring->entries + at * size;
}

void ring_submission(pid_t pid, const uint64_t *args, uint32_t index, unsigned int *ret_operation, uint32_t *ret_length)
{
	uint64_t entry = ring_entry(pid, args, index);

	*ret_operation = (uint8_t)word_at(pid, entry);
	*ret_length = half_at(pid, entry + offsetof(struct io_uring_sqe, len));
}
