# SPDX-License-Identifier: GPL-2.0-only
"""This machine, as a calibrated timing file names it, and the CPU among kassay's own that resembles it most."""

import contextlib
import os
import platform
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import NamedTuple

from kassay.errors import BadInput, HostLacks
from kassay.labs.predict.calibrate import program
from kassay.labs.predict.timing import Machine, timing_for, timings
from kassay.model.records import Record
from kassay.supply.arches import this_host
from kassay.supply.cpus import cpus, spelt

HOST = "host"
"""Name of a timing file that says that it is of this machine."""
_NAMES = (
    "vendor_id", "cpu family", "model", "model name", "stepping", "microcode",
    "CPU implementer", "CPU part", "CPU variant", "CPU revision",
)  # fmt: skip
_SAME = ("vendor_id", "cpu family", "model", "stepping", "CPU implementer", "CPU part", "CPU variant")
"""Some CPUs differ by their stepping alone: Skylake-SP from Cascade Lake, Milan from Milan-X with its larger cache."""
_VENDORS = ("vendor_id", "CPU implementer")
_HIDDEN = frozenset(("ibrs", "ibrs_enhanced", "ibpb", "stibp", "ssbd", "md_clear", "arch_capabilities", "x2apic"))
"""Features that hypervisors and microcode decide on."""
_CPUINFO = Path("/proc/cpuinfo")
_THP = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_CPUS = Path("/sys/devices/system/cpu")
_DEVICES = Path("/sys/devices")
_KINDS = ("cpu_core", "cpu_atom", "cpu_lowpower")
"""Folders that list the CPUs of each kind on x86_64, where their numbers in /proc/cpuinfo are the same."""


class HostMachine(Record, frozen=True, kw_only=True):
    """The machine that is calibrated."""

    arch: str
    """Architecture in kassay's words."""
    cpuinfo: dict[str, str]
    """Lines of /proc/cpuinfo that name the CPU."""
    kernel: str
    """Version of its kernel, without the packager's suffix."""
    hypervisor: str
    """Name of the hypervisor; "" for none."""
    thp: str
    """Policy of huge pages."""


def load() -> tuple[float, int]:
    """Number of tasks that wanted a CPU in the last minute, on average, and number of CPUs."""
    return os.getloadavg()[0], os.cpu_count() or 1


def host_machine(hypervisor: str) -> HostMachine:
    """This machine. hypervisor: as the CPU reported it to the probes. Raises HostLacks on an unknown architecture, and
    if this process may use CPUs of several kinds."""
    arch = this_host()
    release = re.match(r"[\d.]+", platform.release())
    processors = _allowed_processors()
    if len(kinds := _kinds(processors)) > 1:
        listed = [",".join(map(str, kind)) for kind in kinds]
        raise HostLacks(f"the CPUs are of {len(kinds)} kinds: {'; '.join(listed)}. A calibration is of one",
                        f"choose CPUs of one kind: taskset -c {listed[0]} kassay calibrate NAME")  # fmt: skip
    version = release[0] if release else platform.release()
    return HostMachine(
        arch=arch.name,
        cpuinfo=cpuinfo_of(processors[min(processors)]),
        kernel=f"Linux {version}",
        hypervisor=hypervisor,
        thp=huge_pages(),
    )


def _processors() -> dict[int, str]:
    """Number -> its part of /proc/cpuinfo, of each processor."""
    parts = _CPUINFO.read_text("utf-8", "replace").split("\n\n")
    numbers = {int(line[1]): part for part in parts if (line := re.match(r"\s*processor[ \t]*:[ \t]*(\d+)", part))}
    return numbers or {0: parts[0]}


def _allowed_processors() -> dict[int, str]:
    """The processors that this process may use; all if none of these is listed."""
    every, allowed = _processors(), os.sched_getaffinity(0)
    return {number: part for number, part in every.items() if number in allowed} or every


def _kinds(processors: Mapping[int, str]) -> list[tuple[int, ...]]:
    """Processors of the same kind together, by their numbers in /proc/cpuinfo and the kernel's lists of kinds."""
    kind_of: dict[int, str] = {}
    for kind in _KINDS:
        with contextlib.suppress(OSError, ValueError):
            for first, _, last in (span.partition("-") for span in (_DEVICES / kind / "cpus").read_text().split(",")):
                kind_of |= dict.fromkeys(range(int(first), int(last or first) + 1), kind)
    kinds: dict[tuple[str, ...], list[int]] = {}
    for number, part in sorted(processors.items()):
        identity = cpuinfo_of(part)
        key = (kind_of.get(number, ""), *(identity.get(name, "") for name in _SAME))
        kinds.setdefault(key, []).append(number)
    return [tuple(numbers) for numbers in kinds.values()]


def host_features() -> frozenset[str]:
    """The features of this machine."""
    return features_of(_CPUINFO.read_text("utf-8", "replace"))


def features_of(text: str) -> frozenset[str]:
    """The features of the first processor of a /proc/cpuinfo."""
    line = re.search(r"(?m)^(?:flags|Features)[ \t]*:[ \t]*(.*)$", text)
    return frozenset(line[1].split()) if line else frozenset()


def cpuinfo_of(text: str) -> dict[str, str]:
    """The lines that name the CPU, of the first processor of a /proc/cpuinfo."""
    first = text.partition("\n\n")[0]
    identity = {}
    for name in _NAMES:
        line = re.search(rf"(?m)^{re.escape(name)}[ \t]*:[ \t]*(.*)$", first)
        if line is not None:
            identity[name] = " ".join(line[1].split())
    return identity


_OWN_CACHES = ("l1i", "l1d", "l2")
"""Caches that belong to a core: a hypervisor reports them as they are."""


class Nearest(NamedTuple):
    """The CPU among kassay's own that gives what cannot be measured here."""

    name: str
    known: bool
    """True if it is this very CPU, by its numbers."""


def nearest_cpu(machine: HostMachine, features: Set[str], sizes: Mapping[str, tuple[int, int]]) -> Nearest:
    """The CPU of kassay's with these numbers, else the one of the same vendor that is most like it: of the same family
    if there is one, with the most caches of the same size that belong to a core, with the most of the same features and
    the fewest others, and the newest of those. sizes: as caches() has them.

    Raises BadInput where there is none of the vendor.
    """
    ranked = []
    for name, cpu in cpus().items():
        numbers = dict(cpu.identity)
        if numbers and all(machine.cpuinfo.get(title) == value for title, value in cpu.identity):
            return Nearest(name, known=True)
        vendor = next((title for title in _VENDORS if title in numbers), None)
        if vendor is not None and machine.cpuinfo.get(vendor) == numbers[vendor] and name in timings():
            expected = set(cpu.features) - _HIDDEN
            family = machine.cpuinfo.get("cpu family") == numbers.get("cpu family")
            alike = sum(timing_for(name).parameters[f"{cache}_size"].value == sizes[cache][0]
                        for cache in _OWN_CACHES if cache in sizes)  # fmt: skip
            ranked.append((family, alike, len(expected & features) - len(expected - features), cpu.order, name))
    if ranked:
        return Nearest(max(ranked)[-1], known=False)
    raise BadInput(f"no CPU of kassay's is like this one: {cpu_words(machine.cpuinfo)}",
                   "name the one whose instructions are most like it: --like zen4")  # fmt: skip


def cpu_words(cpuinfo: Mapping[str, str]) -> str:
    """Text such as "AMD EPYC, AuthenticAMD family 25 model 17", as far as it is known."""
    if "CPU part" in cpuinfo:
        return f"implementer {cpuinfo.get('CPU implementer', '?')} part {cpuinfo['CPU part']}"
    numbers = (
        f"{cpuinfo.get('vendor_id', '?')} family {cpuinfo.get('cpu family', '?')} model {cpuinfo.get('model', '?')}"
    )
    return f"{cpuinfo['model name']}, {numbers}" if "model name" in cpuinfo else numbers


def differences(file: Mapping[str, str], host: Mapping[str, str]) -> Iterator[str]:
    """The identifying numbers of a file's CPU and of this host's where they differ. Name and microcode may differ."""
    for name in _SAME:
        if file.get(name) != host.get(name):
            yield f"{name}: {file.get(name, '-')} in the file, {host.get(name, '-')} here"


def differences_of(calibrated: Machine | None, host: HostMachine) -> Iterator[str]:
    """The same, and the hypervisor. calibrated: None for a file of no machine."""
    yield from differences(calibrated.cpuinfo if calibrated else {}, host.cpuinfo)
    if calibrated and (apart := hypervisor_apart(calibrated, host.hypervisor)):
        yield apart


def hypervisor_apart(calibrated: Machine, hypervisor: str) -> str:
    """The hypervisors of a file and of this host where they differ; else ""."""
    if calibrated.hypervisor == hypervisor:
        return ""
    return f"hypervisor: {calibrated.hypervisor or 'none'} in the file, {hypervisor or 'none'} here"


def refuse_another_machine(name: str) -> None:
    """Raises BadInput if a name is HOST and its file is of another machine or hypervisor: hosts may share a home.

    The file may be of any kind of CPU that this machine has.
    """
    if spelt(name) != HOST:
        return
    calibrated = timing_for(HOST).machine
    file = calibrated.cpuinfo if calibrated else {}
    found = [next(differences(file, cpuinfo_of(part)), "") for part in _processors().values()]
    if calibrated and not all(found):
        found = [hypervisor_apart(calibrated, program.run(("add_chain",), 1).hypervisor)]  # 0.05 s
    if all(found):
        raise BadInput(f"{HOST}: calibrated on another machine: {found[0]}",
                       "kassay calibrate NAME makes a file of this one; name the other one by its path")  # fmt: skip


def caches() -> dict[str, tuple[int, int]]:
    """ "l1d", "l1i", "l2", "l3" -> bytes and ways, as the CPU or a hypervisor reports them to the kernel."""
    sizes = {}
    for folder in sorted((_CPUS / f"cpu{min(os.sched_getaffinity(0))}/cache").glob("index[0-9]*")):
        try:
            level, kind, size, ways = (
                (folder / name).read_text().strip() for name in ("level", "type", "size", "ways_of_associativity")
            )
            kib = int(size.removesuffix("K"))
        except (OSError, ValueError):
            continue
        suffix = {"Data": "d", "Instruction": "i"}.get(kind, "")
        sizes[f"l{level}{suffix}"] = (kib << 10, int(ways))
    return sizes


def huge_pages() -> str:
    """The policy of huge pages of the running kernel: "always", "madvise", "never"; "none" if it has no such pages."""
    try:
        chosen = re.search(r"\[(\w+)\]", _THP.read_text())
    except OSError:
        return "none"
    return chosen[1] if chosen else "none"
