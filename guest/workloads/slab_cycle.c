// SPDX-License-Identifier: GPL-2.0-only
/* kmalloc() and kfree() of one size, by messages of System V that are sent to a queue and received from it. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory.h"

#define HEADER 48 /* struct msg_msg of 64-bit kernels */

struct message {
	long type;
	char text[4096];
};

static struct {
	uint64_t queue;
	bool made;
	uint64_t bytes;
	uint64_t messages;
	uint64_t rounds;
	struct message sent, received;
} w;

static void send_all(struct script *script)
{
	script_call(script, msgsnd, &w.queue, (uintptr_t)&w.sent, w.bytes, IPC_NOWAIT);
	script_repeat(script, 1, w.messages);
}

static void receive_all(struct script *script)
{
	script_call(script, msgrcv, &w.queue, (uintptr_t)&w.received, sizeof(w.received.text), 0, IPC_NOWAIT);
	script_repeat(script, 1, w.messages);
}

static int make_queue(struct run *run)
{
	struct msqid_ds queue;
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

	if (id < 0 || msgctl(id, IPC_STAT, &queue))
		return fail(run, "a message queue of System V (CONFIG_SYSVIPC): %s", strerror(errno));
	w.queue = (uint64_t)id;
	w.made = true;
	if (w.bytes * w.messages > queue.msg_qbytes)
		return fail(run, "messages of %" PRIu64 " bytes in all, and the queue takes %lu", w.bytes * w.messages,
			    (unsigned long)queue.msg_qbytes);
	return 0;
}

static int setup(struct run *run)
{
	struct script warm = { 0 }, *round = round_script(run);

	w.bytes = param_number(run, "object") - HEADER;
	w.messages = param_number(run, "objects");
	if (make_queue(run))
		return -1;
	w.sent.type = 1;
	memset(w.sent.text, 0x5a, w.bytes);
	send_all(&warm);
	receive_all(&warm);
	script_repeat(&warm, 4, 4); /* until the slabs are full and empty at the same objects */
	if (script_do(run, &warm))
		return -1;
	w.received = (struct message){ 0 };
	phase_add(run, "allocate", w.messages);
	phase_add(run, "free", w.messages);
	mark(run);
	send_all(round);
	mark(run);
	receive_all(round);
	mark(run);
	script_step(round, (struct step){ .run = step_add, .start = &w.rounds, .args = { 1 } });
	return 0;
}

static void verify(struct run *run)
{
	struct msqid_ds queue;

	if (w.rounds != run_rounds(run))
		complain(run, "%" PRIu64 " rounds instead of %" PRIu64, w.rounds, run_rounds(run));
	if (memcmp(w.sent.text, w.received.text, w.bytes))
		complain(run, "what was received last is not what was sent");
	if (msgctl((int)w.queue, IPC_STAT, &queue) || queue.msg_qnum || queue.msg_lrpid != getpid())
		complain(run, "the queue holds %lu messages", (unsigned long)queue.msg_qnum);
}

static void teardown(struct run *run)
{
	(void)run;
	if (w.made)
		msgctl((int)w.queue, IPC_RMID, NULL);
}

const struct workload workload = {
	.name = "slab_cycle",
	.summary = "kmalloc() of objects of one size, then kfree() of them all, by messages of System V",
	.subject = "Allocating and freeing {objects} slab objects of {object} bytes",
	.state = "one message queue, empty before each round; four rounds before round 1 leave the slabs as they are found again",
	.group = "kernel memory",
	.params = {
		{ "object", PARAM_COUNT, "bytes", "128", "size of the object that is allocated, the message's header of 48 bytes included", 64, 4096, { 0 } },
		{ "objects", PARAM_COUNT, "objects", "64", "objects that exist at once; the queue takes 16384 bytes by default", 1, 1024, { 0 } },
	},
	.phases = {
		{ "allocate", "object", "From before the first to after the last msgsnd() of a message, divided by the messages.", true },
		{ "free", "object", "From before the first to after the last msgrcv() of a message, divided by the messages.", false },
		{ "iteration", "object", "One round, allocate and free, divided by the messages.", false },
	},
	.setup = setup,
	.verify = verify,
	.teardown = teardown,
};
