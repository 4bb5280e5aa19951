# SPDX-License-Identifier: GPL-2.0-only
"""Functions of the kernel that queue and run deferred work, and what the plugin watches in them (plugin/defer.h).

Their names are those of Linux 6.1 to 7.3. A kernel that lacks the functions of a kind does not have it followed.
"""

from collections.abc import Iterator

_QUEUES = {
    "work": (
        "queue_work_on", "queue_work_node", "queue_delayed_work_on", "mod_delayed_work_on", "queue_rcu_work",
        "try_to_grab_pending", "work_grab_pending",
    ),
    "rcu": ("call_rcu", "call_rcu_hurry", "__call_rcu_common"),
    "irq": ("irq_work_queue", "irq_work_queue_on", "irq_work_claim"),
    "timer": ("enqueue_timer",),
}  # fmt: skip
"""Functions that claim the object, by kind: they store to it."""

_QUEUED = {
    "work": ("__queue_work", "__queue_delayed_work", "call_rcu", "call_rcu_hurry", "__call_rcu_common"),
    "rcu": ("call_rcu", "call_rcu_hurry", "__call_rcu_common"),
    "irq": ("__irq_work_queue_local", "__smp_call_single_queue"),
}
"""Functions that are called once the object is claimed. Of RCU callbacks: those with which queueing begins."""

_RUNS = {
    "work": ("process_one_work",),
    "rcu": ("rcu_do_batch",),
    "irq": ("irq_work_single", "irq_work_run_list"),
    "timer": ("expire_timers", "__run_timers", "__run_timer_base", "call_timer_fn"),
}
"""Functions that store to the object and then call its function."""

_CANCELS = {
    "work": (
        "__cancel_work", "__cancel_work_timer", "__cancel_work_sync", "cancel_work", "cancel_work_sync",
        "cancel_delayed_work", "cancel_delayed_work_sync",
    ),
}  # fmt: skip
"""Functions that store to an object that is not to run any more."""


def points(start: int, end: int, name: str) -> Iterator[str]:
    """Lines of plugin/points.h for one function."""
    for role, kinds in (("queues", _QUEUES), ("runs", _RUNS), ("cancels", _CANCELS)):
        yield from (f"{kind}_{role} {start:x} {end:x}\n" for kind, names in kinds.items() if name in names)
    yield from (f"{kind}_queued {start:x} {start + 1:x}\n" for kind, names in _QUEUED.items() if name in names)
