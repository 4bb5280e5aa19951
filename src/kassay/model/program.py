# SPDX-License-Identifier: GPL-2.0-only
"""A program that the user brings, in place of one of kassay's own workloads."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from shlex import join
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from kassay.model.application import Words
from kassay.model.records import Record

KINDS = ("c", "directory", "binary")
_PARAMETER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_CHECK = re.compile(r"([^\s=!<>]{1,80})(==|!=|<=|>=)(\S{1,80})")
MARKS = {
    "macros": "KASSAY_ROUND_BEGIN() and KASSAY_ROUND_END() of kassay.h",
    "testcase": "will-it-scale's testcase(), whose own counter says how many operations were done",
    "benchmark": "google-benchmark's registration; a round is one execution of all its benchmarks",
}
OWN_ARGS = {
    "testcase": ("{tasks}", "{mode}", "{operations}"),  # of the main() that it gets: guest/program/will_it_scale.c
    "benchmark": ("--benchmark_format=json", "--benchmark_min_time=1000x"),  # a number of iterations, and not a time
}
"""Arguments in front of the user's, by what marks the rounds."""
BASE = 0x10000000
"""The address to which programs built here are linked; init and the runner have other ones."""
RUNNER_BASE, RUNNER_END = 0x50000000, 0x51000000
"""The address to which the runner of programs is linked, and one behind its end."""
FLAGS = ("-O2", "-static", "-no-pie", "-fno-pie", "-pthread", f"-Wl,-Ttext-segment={BASE:#x}", "-Wl,--build-id=none")
"""Compiler flags of every program that is compiled here, in front of --cflags, its sources and --link."""
LEAST_MS, MOST_MS = 1, 3_600_000
"""Bounds of ProgramUse.limit_ms."""
GROUP = "programs"
"""Group of a workload that is a user's program (model.workload.Workload.group)."""


class ProgramUse(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A user's program: its sources, how it is started, and which part is measured."""

    path: str
    """Path as the user wrote it."""
    sha256: str = ""
    """Hash of its sources and files, by which it is found again; "" until they were read."""
    args: tuple[str, ...] = ()
    """Arguments of the program. A {word} in braces stands for a parameter of the workload."""
    env: tuple[str, ...] = ()
    """Environment variables, as "NAME=VALUE". A {word} in braces stands for a parameter of the workload."""
    files: tuple[str, ...] = ()
    """Paths of files that are placed in its working directory under their last name."""
    cflags: tuple[str, ...] = ()
    """Further words for the compiler before the sources."""
    link: tuple[str, ...] = ()
    """Further words for the compiler behind the sources."""
    start: str = ""
    """Function whose first instruction begins a round, as point_in() reads it; "" if rounds are whole executions."""
    end: str = ""
    """Function whose first instruction ends a round, in the same form as `start`; "" if rounds are whole executions."""
    require: tuple[str, ...] = ()
    """Values that it must print as NAME==VALUE, also with !=, <= or >=, or its exit status as status==N."""
    state: tuple[str, ...] = ()
    """Names of its printed metrics or state fields that must be the same for all kernels."""
    limit_ms: int = 2000
    """Guest time that one execution may take."""
    marks: str = ""
    """A word of MARKS, found in its sources. It names the way in which the program marks rounds itself."""
    work: str = ""
    """Name under which it prints the number of operations of an execution. Values are divided by that number."""
    application: Words | UnsetType = UNSET
    """Application that is executed. `path` is then its name, and `sha256` that of its input."""

    @property
    def counted(self) -> bool:
        """True if only the profile knows its rounds: no clock is read around them."""
        is_started = bool(self.application and self.application.start_line)
        return is_started or self.points or self.marks in ("macros", "testcase")

    @property
    def points(self) -> bool:
        """True if its rounds go from one of its functions to another."""
        return bool(self.start or self.end)


class Point(NamedTuple):
    """A function of a program at which rounds begin or end."""

    function: str
    file: str
    """Source file of a static function whose name others have too; "" if the name is enough."""
    call: str
    """Number of the call in an execution, from 1; "" for every call. Not checked."""


def point_in(text: str) -> Point:
    """The parts of FUNCTION, FUNCTION:CALL, FILE:FUNCTION or FILE:FUNCTION:CALL. A file's name has a dot in it."""
    first, _, rest = text.partition(":")
    if "." not in first or not rest or rest.isdigit():
        return Point(first, "", rest)
    function, _, call = rest.partition(":")
    return Point(function, first, call)


def parameter_names(word: str) -> tuple[str, ...]:
    """The names in braces: {size} is the parameter size."""
    return tuple(match[1] for match in _PARAMETER.finditer(word))


def filled(word: str, values: Mapping[str, str]) -> str:
    """The word with {name} replaced by the parameter's value; braces around anything else stay."""
    return _PARAMETER.sub(lambda match: values.get(match[1]) or match[0], word)


class Check(Record, frozen=True, kw_only=True):
    """One --require, read."""

    name: str
    operator: str
    """One of ==, !=, <=, >=."""
    value: str


def checks(require: Iterable[str]) -> tuple[Check, ...]:
    """Every requirement that can be read."""
    matches = (_CHECK.fullmatch(text) for text in require)
    return tuple(Check(name=m[1], operator=m[2], value=m[3]) for m in matches if m is not None)


def success_status(use: ProgramUse) -> str:
    """Exit status with which every execution must end, as --require says; "0" by default."""
    required = (check.value for check in checks(use.require) if (check.name, check.operator) == ("status", "=="))
    return next(required, "0")


def options_of(use: ProgramUse) -> tuple[str, ...]:
    """The words of a command line that ask for this program."""
    if use.application:
        return (use.path,)
    lists = (("--args", use.args), ("--cflags", use.cflags), ("--link", use.link))
    many = (("--env", use.env), ("--file", use.files), ("--require", use.require), ("--state", use.state))
    once = (("--from", use.start), ("--to", use.end), ("--work", use.work))
    return (
        *("--program", use.path),
        *(word for option, words in lists if words for word in (option, join(words))),
        *(word for option, words in many for value in words for word in (option, value)),
        *(word for option, value in once if value for word in (option, value)),
        *(("--limit", f"{use.limit_ms / 1000:g}") if use.limit_ms != ProgramUse(path="").limit_ms else ()),
    )


def name_of(path: str) -> str:
    """Name of the workload for the program at `path`: its stem, in plain characters."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(path).stem).strip(".-")[:40]
    return name or "program"


def build_sentence(name: str, use: ProgramUse) -> str:
    """Sentence or two on the program: how kassay makes it of the user's files, or what an application is."""
    if use.application:
        return application_sentence(use.application)
    command = join((*FLAGS, *use.cflags, "SOURCES", *use.link))
    return f"{name} is {use.path}; what of it is C or C++ was compiled and linked with {command}."


def application_sentence(words: Words) -> str:
    """Description of an application, and of what differs between its runs."""
    named = [package for package in words.closure if package.name in words.packages]
    names = ", ".join(f"{package.name} {package.version}" for package in named)
    suite = named[0].suite if named else "the archive"
    needed = len(words.closure) - len(named)
    more = f", with the {needed} packages that they need" if needed else ""
    disclosed = f" {words.disclosed}" if words.disclosed else ""
    return f"{words.name} executes {join(words.command)}: unmodified, {names} of {suite}{more}.{disclosed}"
