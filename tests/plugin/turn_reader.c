// SPDX-License-Identifier: GPL-2.0-only
/* A stand-in for QEMU. Its thread keeps a list of whom to tell when memory waits to be freed, laid out as QEMU's. */
#include <stddef.h>
#include <stdio.h>

#include "turn.h"

struct notifier {
	void (*notify)(struct notifier *notifier, void *data);
	struct notifier *next, **place;
};

static struct {
	unsigned long counter;
	_Bool waiting;
	void *next, *place;
	struct notifier *force;
} reader;

void *get_ptr_rcu_reader(void)
{
	return &reader;
}

void rcu_remove_force_rcu_notifier(struct notifier *notifier)
{
	*notifier->place = notifier->next;
}

static void end_turn(struct notifier *notifier, void *data)
{
	(void)notifier;
	(void)data;
	puts("the turn ends");
}

static void free_memory(void)
{
	for (struct notifier *notifier = reader.force; notifier; notifier = notifier->next)
		notifier->notify(notifier, NULL);
	puts("freed");
}

int main(int argc, char **argv)
{
	struct notifier cpus = { end_turn, NULL, &reader.force };

	(void)argv;
	reader.force = &cpus;
	if (argc > 1)
		cpus.place = NULL;
	free_memory();
	turns_hold();
	free_memory();
	return 0;
}
