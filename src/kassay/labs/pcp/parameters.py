# SPDX-License-Identifier: GPL-2.0-only
"""Every parameter of a synthetic simulation with its meaning: pcp/params.def has the simulator's own."""

import re
from typing import NamedTuple

from kassay.labs.pcp import engine
from kassay.labs.pcp.synthetic import MACHINE

_LINE = re.compile(r'^(RUN|ZONE|GROUP)\((\w+), (\d+), (\d+)U?, "(.*)"\)$', re.MULTILINE)
_OF = {"RUN": "run", "ZONE": "zone", "GROUP": "tasks"}
_MACHINE = {
    "cpus": "number of CPUs, shared by the nodes",
    "nodes": "nodes of memory, each with one zone and its CPUs",
    "memory": "of the whole machine, such as 64GiB; watermarks, batch and high follow from it",
    "huge_pages": 'yes: THP is not "never", which raises vm.min_free_kbytes',
    "high_fraction": "vm.percpu_pagelist_high_fraction; 0: the kernel's default",
}
_DERIVED = (
    (
        "run",
        "instruction_ps",
        "time of an instruction; costs but for handover_ps follow from it, unless they are set themselves",
    ),
    ("tasks", "depth", "depth_min and depth_max at once"),
    ("tasks", "tasks_per_cpu", "tasks of the group for each of its CPUs, in place of tasks"),
)


def bounds(name: str) -> tuple[int, int]:
    """Lowest and highest value of a parameter of the run or of a zone, as pcp/params.def has them."""
    (found,) = ((int(low), int(high)) for kind, of, low, high, _ in _lines() if of == name and kind != "GROUP")
    return found


def _lines() -> list[tuple[str, ...]]:
    """RUN, ZONE or GROUP, name, bounds and meaning of each line of pcp/params.def."""
    return _LINE.findall((engine.sources() / "params.def").read_text("utf-8"))


class Parameter(NamedTuple):
    """One name for --set."""

    of: str
    """Object that has it: machine, run, zone or tasks."""
    name: str
    meaning: str


def parameters() -> tuple[Parameter, ...]:
    """All of them; of machine, run, zone and tasks in this order."""
    listed = [Parameter("machine", name, _MACHINE[name]) for name in MACHINE]
    listed += [Parameter(*row) for row in _DERIVED]
    listed += [Parameter(_OF[kind], name, meaning) for kind, name, _, _, meaning in _lines() if name not in MACHINE]
    order = ("machine", "run", "zone", "tasks")
    return tuple(sorted(listed, key=lambda parameter: order.index(parameter.of)))
