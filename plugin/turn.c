// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "turn.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "warning.h"

/* struct Notifier of QEMU's include/qemu/notify.h */
struct notifier {
	void (*notify)(struct notifier *notifier, void *data);
	struct notifier *next;
	struct notifier **place;
};

/* struct rcu_reader_data of QEMU's include/qemu/rcu.h */
struct reader {
	unsigned long counter;
	bool waiting;
	struct reader *next;
	struct reader **place;
	struct notifier *force;
};

void turns_hold(void)
{
	struct reader *(*reader_of_thread)(void);
	void (*remove)(struct notifier *notifier);
	struct reader *reader;

	*(void **)&reader_of_thread = dlsym(RTLD_DEFAULT, "get_ptr_rcu_reader");
	*(void **)&remove = dlsym(RTLD_DEFAULT, "rcu_remove_force_rcu_notifier");
	reader = reader_of_thread && remove ? reader_of_thread() : NULL;
	if (!reader || !reader->force || reader->force->place != &reader->force) {
		warn_of_host("QEMU ends turns in an unknown way");
		return;
	}
	remove(reader->force);
}
