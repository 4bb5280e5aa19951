# SPDX-License-Identifier: GPL-2.0-only
"""Synthetic workloads: each is a TOML file in workloads/, with a machine and groups of tasks that settings may change.

KASSAY_PATH adds files of pcp/workloads/, and any FILE.toml may be named (docs/how-to/pcp.md).
"""

import tomllib
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kassay.errors import BadInput, nearest_of, unknown
from kassay.labs.pcp.sizes import PAGE_BYTES, min_free_pages, zone_sizes
from kassay.model.units import parse_bytes
from kassay.registry import files

FOLDER = "pcp/workloads"
_OTHER_ZONES = 2  # DMA and DMA32, which a machine has besides a Normal zone of each node

MACHINE: Mapping[str, int] = MappingProxyType(
    {"cpus": 8, "nodes": 1, "memory": 16 << 30, "huge_pages": 1, "high_fraction": 0}
)
"""Properties of the machine that determine its zones, with defaults.

memory: bytes of the whole machine. huge_pages: 1 unless THP is "never". high_fraction:
vm.percpu_pagelist_high_fraction.
"""

GROUP: Mapping[str, int] = MappingProxyType(
    {
        "tasks": 1, "cpu_first": 0, "cpu_count": 0, "depth_min": 1, "depth_max": 1, "depth_log": 0, "keep": 0,
        "newest_first": 0, "churn": 0, "order1": 0, "order2": 0, "order3": 0, "order9": 0, "unmovable": 0,
        "reclaimable": 0, "alloc_ns": 1000, "free_ns": 300, "jitter": 0, "hold_ns": 0, "idle_ns": 0,
        "burst_cycles": 0, "burst_idle_ns": 0, "remote": 0, "remote_offset": 0, "backlog": 4096, "slice": 64,
    }
)  # fmt: skip
"""Parameters of a group of tasks, with defaults (pcp/params.def explains them). cpu_count 0: all CPUs."""

ZONE = frozenset((
    "start", "pages", "used", "cpu_first", "cpu_count", "batch", "high_min", "high_max", "low_watermark",
    "high_watermark",
))  # fmt: skip
"""Parameters of a zone; a setting of one is for all zones."""


class Synthetic(NamedTuple):
    """A synthetic workload."""

    name: str
    summary: str
    source: str
    machine: Mapping[str, int]
    """MACHINE and parameters of the run."""
    groups: Mapping[str, Mapping[str, int]]
    """Groups of tasks by name, in order."""


class Setup(NamedTuple):
    """All that a simulation is given except for its policy: names and values of the run, each zone, each group."""

    run: Mapping[str, int]
    zones: tuple[Mapping[str, int], ...]
    groups: tuple[Mapping[str, int], ...]
    instruction_ps: int = 0
    """Time of an instruction, from which the costs in `run` follow that were not set; 0 if it is not known."""


def synthetic_workloads() -> Mapping[str, Path]:
    """Name -> file. Raises BadInput for two of one name."""
    paths = files(Path(__file__).with_name("workloads"), FOLDER, "*.toml")
    return {name.removesuffix(".toml"): path for name, path in paths.items()}


def synthetic(name: str) -> Synthetic:
    """A workload by its name, or the one in a FILE.toml. Raises BadInput with the file and what is wrong in it."""
    workloads = synthetic_workloads()
    if name not in workloads and not name.endswith(".toml"):
        raise unknown("unknown workload", name, workloads)
    path = workloads.get(name, Path(name))
    try:
        return _parsed(path.stem, tomllib.loads(path.read_text("utf-8")), str(path))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", f"name a file, or one of {', '.join(workloads)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", "docs/how-to/pcp.md has an example") from error


def setup(workload: Synthetic, settings: Mapping[str, str], run: Mapping[str, int]) -> Setup:
    """The workload with settings (as written by the user) applied. run: every parameter of a run with its default.

    Raises BadInput for an unknown name and an impossible value.
    """
    machine = {**MACHINE, **run, **workload.machine}
    groups = {name: dict(group) for name, group in workload.groups.items()}
    fixed: dict[str, int] = {}
    for name, text in settings.items():
        value = number(name, text)
        first, dot, rest = name.partition(".")
        if dot and first in groups and rest in {*GROUP, "depth", "tasks_per_cpu"}:
            _set(groups[first], rest, value)
        elif name in machine:
            machine[name] = value
        elif name in ZONE:
            fixed[name] = value
        elif name in {*GROUP, "depth", "tasks_per_cpu"}:
            for group in groups.values():
                _set(group, name, value)
        else:
            known = sorted({*machine, *ZONE, *GROUP, "depth", "tasks_per_cpu"})
            raise BadInput(f"--set {name}: no such parameter", nearest_of(name, known))
    _check(machine)
    zones = tuple({**values, **fixed} for values in _zones(machine))
    run_values = {name: value for name, value in machine.items() if name in run}
    return Setup(run_values, zones, tuple(_group(group, machine["cpus"]) for group in groups.values()))


def number(name: str, text: str) -> int:
    """A value as users write it: 1000, 1_000, 1e9, 64GiB, yes. Raises BadInput."""
    if text in ("yes", "no"):
        return int(text == "yes")
    try:
        if "e" in text and float(text).is_integer():
            return int(float(text))
        return int(text) if text.replace("_", "").lstrip("-").isdigit() else parse_bytes(text)
    except (ValueError, OverflowError) as error:
        raise BadInput(f"--set {name}={text}: not a whole number", "write 1000, 1e9 or, of memory, 64GiB") from error


def _zones(machine: Mapping[str, int]) -> list[dict[str, int]]:
    nodes, cpus = machine["nodes"], machine["cpus"]
    every = machine["memory"] // PAGE_BYTES
    least = min_free_pages(every, nodes + _OTHER_ZONES, huge_pages=bool(machine["huge_pages"]))
    counts = [cpus // nodes + (node < cpus % nodes) for node in range(nodes)]
    zones = []
    for node, (first, count) in enumerate(zip(accumulate([0, *counts]), counts, strict=False)):
        pages = every // nodes
        sizes = zone_sizes(pages, count, least, every, machine["high_fraction"])
        zones.append(
            {
                "start": node * pages, "pages": pages, "used": 0, "cpu_first": first, "cpu_count": count,
                "batch": sizes.batch, "high_min": sizes.high_min, "high_max": sizes.high_max,
                "low_watermark": sizes.low_watermark, "high_watermark": sizes.high_watermark,
            }
        )  # fmt: skip
    return zones


def _check(machine: Mapping[str, int]) -> None:
    if machine["cpus"] < 1:
        raise BadInput(f"cpus={machine['cpus']}: a machine has one at least", "give 1 or more")
    if not 1 <= machine["nodes"] <= machine["cpus"]:
        raise BadInput(
            f"nodes={machine['nodes']}: not from 1 to the {machine['cpus']} CPUs", "each node has a zone and CPUs"
        )
    if machine["memory"] // PAGE_BYTES < 4096 * machine["nodes"]:
        raise BadInput(f"memory={machine['memory']}: less than 16 MiB for each node", "give more, such as 16GiB")
    if machine["high_fraction"] and machine["high_fraction"] < 8:
        raise BadInput(f"high_fraction={machine['high_fraction']}: the kernel refuses less than 8", "give 8 or more")


def _group(group: Mapping[str, int], cpus: int) -> dict[str, int]:
    values = {**GROUP, **{name: value for name, value in group.items() if name != "tasks_per_cpu"}}
    values["cpu_count"] = values["cpu_count"] or cpus - values["cpu_first"]
    if "tasks_per_cpu" in group:
        values["tasks"] = group["tasks_per_cpu"] * values["cpu_count"]
    return values


def _set(group: dict[str, int], name: str, value: int) -> None:
    if name == "depth":
        group["depth_min"] = group["depth_max"] = value
    else:
        group[name] = value
        if name in ("tasks", "tasks_per_cpu"):
            group.pop("tasks_per_cpu" if name == "tasks" else "tasks", None)


def _parsed(name: str, table: Mapping[str, Any], origin: str) -> Synthetic:
    wrong = sorted(table.keys() - {"summary", "source", "machine", "groups"})
    groups = table.get("groups", [])
    if wrong or not groups or not isinstance(groups, list):
        problem = f"unknown key {wrong[0]!r}" if wrong else "no [[groups]]"
        raise BadInput(
            f"{origin}: {problem}", "a workload has summary, source, [machine], [[groups]] (docs/how-to/pcp.md)"
        )
    parsed_groups: dict[str, Mapping[str, int]] = {}
    for index, group in enumerate(groups, 1):
        title = str(group.get("name", f"group{index}"))
        where = f"{origin}: groups.{title}"
        if title in parsed_groups:
            raise BadInput(f"{where}: there are two of this name", "name each group differently")
        parsed_groups[title] = _numbers(
            {key: value for key, value in group.items() if key != "name"}, {*GROUP, "tasks_per_cpu"}, where
        )
    machine = _numbers(table.get("machine", {}), None, f"{origin}: machine")
    return Synthetic(name, str(table.get("summary", "")), str(table.get("source", "")), machine, parsed_groups)


def _numbers(values: Mapping[str, Any], allowed: set[str] | None, section: str) -> dict[str, int]:
    for key in values:
        if allowed is not None and key not in allowed:
            raise BadInput(f"{section}.{key}: no such parameter", nearest_of(key, sorted(allowed)))
    return {key: value if type(value) is int else number(key, str(value)) for key, value in values.items()}
