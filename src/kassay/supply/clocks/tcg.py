# SPDX-License-Identifier: GPL-2.0-only
"""tcg: wall time of an emulated machine, which is the emulator's as much as the kernel's."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="tcg",
    order=20,
    scope="emulated time: screening only",
    screening=True,
    profile_cpus=1,  # where virtual CPUs run at the same time, the counts of the plugin do not belong together
    limits=("Emulated time measures the emulator as much as the kernel.",),
    time_word="emulated time",
    meaning="This is time as an emulated machine sees it: good for deciding what to measure, and for nothing else.",
    mechanism="Clock: the guest's own, while an emulator executes it.",
    where="emulated",
    doubt="emulated time only screens: count with icount, or measure with kvm or host",
    beside_counts="emulated time: the emulator's caches, not a processor's",
)
