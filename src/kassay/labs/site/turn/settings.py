# SPDX-License-Identifier: GPL-2.0-only
"""lab.toml -> what a laboratory follows; strict, every problem with its place in the file."""

import re
import tomllib
from pathlib import Path, PurePath
from typing import Any

import msgspec

from kassay.effects.files import expanded
from kassay.errors import BadInput, nearest_of, wrong_value
from kassay.model.records import Record, from_plain, repeats
from kassay.model.units import parse_duration
from kassay.spec.suites import suites
from kassay.supply.arches import arches

ALL = "all"
WEB = ("https://", "http://")
"""Beginnings of an address where a site is served."""
_X86 = "x86_64"
_SERIES = re.compile(r"\d+\.\d+")


class Branch(Record, frozen=True, kw_only=True):
    """A branch of a kernel git tree."""

    tree: str
    """Git tree on this host. kassay reads it, and with `remote` fetches into it."""
    name: str
    """Branch, e.g. "mm-new"."""
    remote: str = ""
    """Remote of the tree or an address that the branch is fetched from; "" for a branch of the tree itself."""
    since: str = ""
    """Revision that the first head is compared with; "" for the newest tag below it."""
    build: str = ""
    """Options for building its kernels, as in a build reference: "cc=gcc-14,config=distro"."""

    @property
    def line(self) -> str:
        """Name of its line in directories, without the architecture: the tree's own name, and that of the branch."""
        return f"{PurePath(self.tree).name}-{self.name.replace('/', '-')}"


class Lab(Record, frozen=True, kw_only=True):
    """A laboratory. Paths are absolute."""

    title: str = ""
    address: str = ""
    suites: tuple[str, ...] = ("mm",)
    """Suites to measure: "mm" on every architecture, "arm64/core" on one, which then has no other ones."""
    arches: tuple[str, ...] = ("x86_64",)
    archive: tuple[str, ...] | str = ()
    """Series of the archive, or "all"."""
    back: int = 10
    """Series of the archive at most, the newest ones."""
    leave_out: tuple[str, ...] = ()
    """Versions of the archive's packages that no further pair has, e.g. of another compiler."""
    branch: tuple[Branch, ...] = ()
    cpus: tuple[str, ...] = ()
    """CPUs to predict time for: "zen4" is of x86_64, "arm64/neoverse_n1" of the architecture that it names."""
    flavour: str = "cloud"
    budget: str = "2h"
    bundles: bool = True
    """True if each confirmed step has a bundle on the site."""
    every: str = "1h"
    """Time between the ends of two turns."""
    runs: str = "runs"
    history: str = "history.duckdb"
    site: str = "site"
    outbox: str = "outbox"
    steps: str = "steps.toml"
    status: str = "status.json"

    @property
    def budget_s(self) -> float:
        """Seconds that a turn may measure."""
        return seconds(self.budget, "budget")

    def suites_of(self, arch: str) -> tuple[str, ...]:
        """Suites that are measured on an architecture."""
        own = tuple(word.partition("/")[2] for word in self.suites if word.startswith(f"{arch}/"))
        return own or tuple(word for word in self.suites if "/" not in word)

    def cpus_of(self, arch: str) -> tuple[str, ...]:
        """CPUs of an architecture, without its name."""
        named = (parts if (parts := cpu.partition("/"))[0] in arches() else (_X86, "/", cpu) for cpu in self.cpus)
        return tuple(name for head, _, name in named if head == arch)


_PLACES = ("runs", "history", "site", "outbox", "status")
"""Files and directories that the laboratory makes."""


def seconds(text: str, where: str) -> float:
    """Seconds of "90s", "20m", "2h" or "1d". Raises BadInput."""
    found = parse_duration(text, "smhd")
    if found is None:
        raise BadInput(f"{where}: {text!r} is not a time", "write 90s, 20m, 2h or 1d")
    return found


def load(path: Path, out: Path | None = None) -> Lab:
    """Reads a laboratory's file. out: directory of everything that the laboratory makes; by default that of the file,
    where steps.toml is in any case. Raises BadInput with every problem."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise BadInput(f"{path}: {why}", "give the file of a laboratory; see docs/reference/lab.md") from error
    lab = parse(text, str(path))
    here = path.absolute().parent
    made = {name: str((out or here).absolute() / expanded(getattr(lab, name))) for name in _PLACES}
    branches = tuple(msgspec.structs.replace(branch, tree=str(here / expanded(branch.tree))) for branch in lab.branch)
    return msgspec.structs.replace(lab, **made, steps=str(here / expanded(lab.steps)), branch=branches)


def parse(text: str, origin: str) -> Lab:
    """Reads the text of a laboratory's file; `origin` names it in errors. Raises BadInput with every problem."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin}: {error}") from error
    problems = _unknown_keys(table)
    if not problems:
        try:
            lab = from_plain(table, Lab)
        except msgspec.ValidationError as error:
            raise BadInput(f"{origin}: {wrong_value(error)}", "docs/reference/lab.md has every key") from error
        problems = _wrong_values(lab)
    if problems:
        raise BadInput("\n".join(f"{origin}: {problem}" for problem in problems))
    return lab


def _unknown_keys(table: dict[str, Any]) -> list[str]:
    places = [("", table, Lab.__struct_fields__)]
    branches = table.get("branch", [])
    for number, branch in enumerate(branches if isinstance(branches, list) else []):
        if isinstance(branch, dict):
            places.append((f"branch[{number}].", branch, Branch.__struct_fields__))
    return [
        f"{prefix}{key}: unknown key; {nearest_of(key, keys)}"
        for prefix, entries, keys in places for key in entries if key not in keys
    ]  # fmt: skip


def _wrong_values(lab: Lab) -> list[str]:
    problems = []
    names = tuple(
        name if name and place in lab.arches else word
        for word in lab.suites for place, _, name in (word.partition("/"),)
    )  # fmt: skip
    problems += [f"suites: none for {arch}" for arch in lab.arches if lab.suites and not lab.suites_of(arch)]
    for key, words, known in (("suites", names, suites()), ("arches", lab.arches, arches())):
        problems += [f"{key}: must name one at least"] if not words else []
        problems += [f"{key}: unknown {word!r}; {nearest_of(word, known)}" for word in words if word not in known]
    for key in ("suites", "arches", "archive"):
        if isinstance(words := getattr(lab, key), tuple) and len({*words}) < len(words):
            problems.append(f"{key}: the same value twice")
    if isinstance(lab.archive, str):
        problems += [] if lab.archive == ALL else [f"archive: {lab.archive!r}: write a list of series, or {ALL!r}"]
    else:
        wrong = [word for word in lab.archive if not _SERIES.fullmatch(word)]
        problems += [f"archive: {word!r} is not a series; write 6.17" for word in wrong]
    problems += [
        f"leave_out: {word!r} is not the version of a package; write {word}-1 or so, as `kassay kernels list` does"
        for word in lab.leave_out if "-" not in word
    ]  # fmt: skip
    of_place = {name: str(Path(expanded(getattr(lab, name)))) for name in (*_PLACES, "steps")}
    problems += [f"{one}, {two}: the same place; give each its own" for one, two in repeats(
        (place, name) for name, place in of_place.items())]  # fmt: skip
    problems += [f"address: {lab.address!r} is not an address of a web server; begin it with https://"] * (
        bool(lab.address) and not lab.address.startswith(WEB)
    )
    for number, first in repeats((branch.line, number) for number, branch in enumerate(lab.branch)):
        problems.append(
            f"branch[{number}]: its runs would be in the directory of branch[{first}], {lab.branch[first].line}; "
            "follow it by a laboratory of its own"
        )
    unused = len(lab.cpus) - sum(len(lab.cpus_of(arch)) for arch in set(lab.arches))
    problems += ["cpus: a CPU of an architecture that is not in arches"] * (unused > 0)
    problems += ["archive, branch: nothing to follow; name series of the archive or a branch"] * (
        not lab.archive and not lab.branch
    )
    problems += ["back: must be at least 2, as a pair has two kernels"] * (lab.back < 2)
    for key in ("budget", "every"):
        try:
            if not seconds(getattr(lab, key), key) and key == "every":
                problems.append("every: must be longer than 0 s, as each turn asks the archive")
        except BadInput as error:
            problems.append(f"{error.what}; {error.remedy}")
    return problems
