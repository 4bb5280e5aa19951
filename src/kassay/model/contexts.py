# SPDX-License-Identifier: GPL-2.0-only
"""Contexts that a profile tells apart. A module of its own, because the help of a command names them."""

CONTEXTS = {
    "user": "the workload's own code in user mode",
    "kernel": "kernel code that runs for the workload: system calls and faults",
    "interrupt": "interrupts, and the softirqs they end with, whatever they interrupted",
    "other": "any other task, in user or kernel mode",
    "idle": "the idle task",
    "work-item": "work items that the workload queued, run by a kworker",
    "rcu-callback": "RCU callbacks that the workload queued, run after a grace period",
    "irq-work": "irq_work that the workload queued",
    "timer": "functions of timers that the workload armed",
}
