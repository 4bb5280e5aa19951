# SPDX-License-Identifier: GPL-2.0-only
"""icount: instructions that an emulated CPU executes, each a nanosecond of the guest's time; exact on any host."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="icount",
    order=10,
    unit="instructions",
    scope="instructions executed, emulated; not time",
    definition="Instructions executed by the guest",
    exact=True,
    ticks="tsc",
    repeats=2,
    perturb=2,
    margin=0.01,
    profile_cpus=64,  # that the plugin follows, as in plugin/block.h
    limits=(
        "An instruction is not a nanosecond: caches, atomics and lock contention do not show in counts.",
        "Every iteration of a string instruction (rep movs, rep stos) counts as one instruction.",
        "Time that the guest is idle inside the measured region counts as instructions; profiles show it as [idle].",
    ),
    meaning="These are instructions, counted while an emulator executed them. They are not time. Counts alone do not "
    "show whether a program becomes slower.",
    mechanism="Clock: QEMU interprets the guest and counts every instruction that it executes (-icount).",
    where="counted",
)
