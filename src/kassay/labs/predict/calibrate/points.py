# SPDX-License-Identifier: GPL-2.0-only
"""Points that the probes measure, in groups: each group one process, so that repeats of all groups interleave."""

from collections.abc import Iterable
from typing import NamedTuple

from kassay.labs.predict.calibrate import forms
from kassay.labs.predict.calibrate.program import names

_INSTRUCTION_GROUP = 12
PARALLEL_KIB = 128 << 10
PARALLEL_NEAR_KIB = 128
"""Region in the second level. Memory may deliver fewer lines at a time than the first level can wait for."""
MEMORY_KIB = 128 << 10
CHASES_KIB = (
    16, 64, 128, 256, 512, 768, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152, 65536,
    MEMORY_KIB,
)  # fmt: skip
FIRSTS_KIB = (3072, 4096, 6144, 12288, 24576, 65536, MEMORY_KIB)
"""Regions of which the first line of each pair is chased: in the third level and in memory."""
CHASES_HUGE_KIB = (256, 4096, 6144, 12288, MEMORY_KIB)
PAGES = (
    16, 32, 48, 56, 60, 64, 68, 72, 76, 80, 96, 112, 128, 192, 256, 512, 1024, 1280, 1536, 1792, 2048, 2304, 2560, 2816,
    3072, 3328, 4096, 6144, 8192,
)  # fmt: skip
WALKED_PAGES = 8192
WALKERS = (1, 2, 4, 6, 8, 10, 12, 16)
CHAINS = (1, 2, 4, 8, 10, 12, 16, 20, 24, 28, 32)
WINDOW_MIXED = tuple(range(64, 704, 16))
WINDOW_QUEUES = (*range(16, 160, 4), *range(160, 352, 16))
DEPTHS = (4, 8, 12, *range(14, 40), 44, 48, 52, 56, 60, 64, 68, 72)
FILLS = (64, 96, 128, 192, 256, 1024, 4096, 65536, 4 << 20, 64 << 20)
STREAMS_KIB = (16, 256, 3072, MEMORY_KIB)
WALKS = (1, 2, 3, 8, 16, 63, 64, 65)
PARAMETRIC = (
    "branch_", "call_depth", "chase_", "pages_", "walk", "parallel", "read_lines", "write_lines", "read_atomic",
    "write_atomic", "form_", "window_", "fill", "copy", "compare", "protect", "map_cycle", "cross_flush",
)  # fmt: skip
PRIVILEGED = ("ring0_", "ring3_")
"""Beginnings of the names of probes that run in a virtual machine."""


class Group(NamedTuple):
    """Points that one process measures."""

    name: str
    samples: int
    """Number of samples of each point."""
    words: tuple[str, ...]
    """Points, each as NAME or NAME:ARGUMENT."""


def groups() -> tuple[Group, ...]:
    """Everything that is measured on this architecture, in order; single instructions in groups of a dozen."""
    probes = names()
    single = [name for name in probes if not name.startswith((*PARAMETRIC, *PRIVILEGED))]
    planned = [
        Group(f"instructions {start // _INSTRUCTION_GROUP + 1}", 40, tuple(single[start : start + _INSTRUCTION_GROUP]))
        for start in range(0, len(single), _INSTRUCTION_GROUP)
    ]
    planned += [
        *(Group(f"forms, {kind}", 10, forms.points(kind)) for kind in ("chain", "many")),
        Group("branches", 25, (*_asked("branch_conditional", (0, 1)), *_asked("branch_indirect", (0, 1, 3)))),
        Group("returns", 20, _asked("call_depth", DEPTHS)),
        Group("caches", 12, (*_asked("chase_local", CHASES_KIB), *_asked("chase_firsts", FIRSTS_KIB))),
        Group("small pages", 6, _asked("chase_small", (256, 4096, MEMORY_KIB))),
        Group("huge pages", 6, (*_asked("chase_huge", CHASES_HUGE_KIB), *_asked("pages_huge", (256, 4096)))),
        Group("translation", 15, _asked("pages_small", PAGES)),
        Group("walks", 8, _asked("walk", WALKS)),
        Group("parallel misses", 8, _asked(
            "parallel", [(count << 20) + kib for kib in (PARALLEL_KIB, PARALLEL_NEAR_KIB) for count in CHAINS])),
        Group("parallel walks", 10, _asked("parallel_pages", [(count << 20) + WALKED_PAGES for count in WALKERS])),
        Group("streams", 12, (*_asked("read_lines", STREAMS_KIB), *_asked("write_lines", STREAMS_KIB),
                              *_asked("read_atomic", STREAMS_KIB[:3]), *_asked("write_atomic", STREAMS_KIB[:3]))),
        Group("reorder buffer", 9, _asked("window_mixed", WINDOW_MIXED)),
        Group("queues", 9, tuple(word for kind in ("dependent", "loads", "stores", "adds")
                                 for word in _asked(f"window_{kind}", WINDOW_QUEUES))),
        Group("strings", 12, (*_asked("fill", FILLS), *_asked("fill_words", (168, 4096)),
                              *_asked("copy", FILLS), *_asked("copy_words", (168,)),
                              *_asked("compare", (64, 1024)))),
        Group("kernel", 12, (*_asked("protect", (1, 8, 64, 512)), *_asked("protect_touch", (1, 512)),
                             *_asked("map_cycle", (1, 64)))),
        Group("two CPUs", 12, _asked("cross_flush", (0, 1))),
        Group("privileged", 20, tuple(name for name in probes if name.startswith(PRIVILEGED))),
    ]  # fmt: skip
    possible = (
        group._replace(words=tuple(word for word in group.words if word.partition(":")[0] in probes))
        for group in planned
    )
    return tuple(group for group in possible if group.words)


def _asked(name: str, arguments: Iterable[int]) -> tuple[str, ...]:
    return tuple(f"{name}:{argument}" for argument in arguments)
