# SPDX-License-Identifier: GPL-2.0-only
"""Guest programs run on this very kernel, plain or built with sanitizers."""

import subprocess
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import NamedTuple

from kassay.model.guest import GuestReport
from kassay.model.units import parse_bytes
from kassay.model.workload import Parameter, Workload
from kassay.supply.guest import protocol, sources

SIZE = "2MiB"
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1", "-fno-omit-frame-pointer")
LACKING = (
    r"this kernel|Operation not permitted|Permission denied|not implemented|no RAM disk|no zram device|"
    r"one node of memory|mapping an image: File exists"
)
"""Messages of a program if this very kernel, or this user, lacks something that it needs.

The last one is for a sanitizer, whose own memory lies at the image's address.
"""
Programs = Callable[[str], Path]


class Ran(NamedTuple):
    """One native run; report is None when the stream was refused, and refusal then says why."""

    status: int
    report: GuestReport | None
    refusal: str
    stderr: str


def run(program: Path, *arguments: str, rounds: int = 2) -> Ran:
    """Runs one workload here with the system's clock and reads its stream.

    Addresses are not randomised, as in every boot; a sanitizer's own memory needs that too.
    """
    words = ("--run", *arguments, "--rounds", str(rounds), "--clock", "monotonic", "--out", "-")
    argv = ("setarch", "-R", str(program), *words)
    done = subprocess.run(argv, capture_output=True, timeout=60, check=False)
    said = done.stderr.decode("utf-8", "replace")
    try:
        return Ran(done.returncode, protocol.parse(done.stdout), "", said)
    except protocol.StreamError as error:
        return Ran(done.returncode, None, f"{error.kind}: {error.detail}", said)


def sanitized(name: str, directory: Path) -> Path:
    """A workload built with address and undefined-behaviour sanitizers; files of several are compiled once."""
    made = directory / name
    if not made.exists():
        objects = [_object(file, directory) for file in sources.files_of(name, "x86_64")]
        subprocess.run(("gcc", *SANITIZE, "-pthread", "-o", str(made), *objects), check=True, timeout=120)
    return made


def _object(file: str, directory: Path) -> str:
    made = directory / f"{file.replace('/', '-')}.o"
    if not made.exists():
        argv = ("gcc", *SANITIZE, "-std=gnu11", "-Wall", "-Wextra", "-I.", "-pthread", "-c", "-o", str(made))
        subprocess.run((*argv, sources.path_of(file)), cwd=sources.directory(), check=True, timeout=120)
    return str(made)


def every_choice(workload: Workload) -> list[tuple[str, ...]]:
    """All combinations of a workload's choices, small. Without zram, and without folios of an order that is asked for:
    those are the host's own device and settings."""
    axes = [[f"{p.name}={value}" for value in _values(p)] for p in workload.parameters]
    return [tuple(point) for point in product(*axes) if not any(map(_changes_the_host, point))]


def _changes_the_host(setting: str) -> bool:
    return setting in ("swap=zram", "holds=swap") or (setting.startswith("order=") and setting != "order=0")


def small(workload: Workload, given: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Default choices, small sizes and counts."""
    values = {p.name: p.default if p.kind == "choice" else _values(p)[0] for p in workload.parameters}
    return tuple(f"{name}={value}" for name, value in {**values, **(given or {})}.items())


def _values(parameter: Parameter) -> tuple[str, ...]:
    if parameter.kind == "choice":
        return parameter.choices
    if parameter.kind == "size":
        return (SIZE,) if (parameter.maximum or 0) >= parse_bytes(SIZE) else (parameter.default,)
    if parameter.name == "tasks":
        return (str(parameter.minimum), str(min(3, parameter.maximum or 3)))
    if not (parameter.minimum or 0) <= 12 <= (parameter.maximum or 12):
        return (parameter.default,)
    return ("12",)
