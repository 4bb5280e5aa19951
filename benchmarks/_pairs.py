# SPDX-License-Identifier: GPL-2.0-only
"""The pairs of benchmarks/pairs/: their table, their program, and what was measured of them."""

import hashlib
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from kassay.model.program import FLAGS
from kassay.model.records import Record, from_json
from kassay.supply.guest.program import header

SOURCES = Path(__file__).parent / "pairs"
MEASURED = SOURCES / "measured.json"
_WARNINGS = ("-std=gnu11", "-Wall", "-Wextra", "-Werror")


class Pair(Record, frozen=True, kw_only=True):
    """base, head: sides, as benchmarks/pairs/pair.h says. held_out: nothing was fitted to it."""

    kind: str
    base: str
    head: str
    held_out: bool = False

    @property
    def name(self) -> str:
        return f"{self.base} > {self.head}"


class Timed(Record, frozen=True, kw_only=True):
    """One pair on one machine. base_ns, head_ns: lower quartile of all samples of an operation, in ns: what others did
    on the host made the others longer. ratio: of these. passes: (base, head) of each pass, in ns. spread: how far the
    ratios of the odd and of the even passes are apart, relative to the ratio."""

    base: str
    head: str
    base_ns: float
    head_ns: float
    ratio: float
    spread: float
    passes: tuple[tuple[float, float], ...]


class Measured(Record, frozen=True, kw_only=True):
    """machine: what was measured on, by name. ghz: clock of the CPU while measuring. sources: sha256 of the program."""

    schema: str
    machine: dict[str, str]
    ghz: float
    sources: str
    passes: int
    pairs: tuple[Timed, ...]


def pairs() -> tuple[Pair, ...]:
    """All of pairs.toml, in its order."""
    found = tomllib.loads((SOURCES / "pairs.toml").read_text())["pairs"]
    return tuple(msgspec.convert(entry, Pair) for entry in found)


def sides() -> tuple[str, ...]:
    """Every side once, in order of the table."""
    return tuple(dict.fromkeys(side for pair in pairs() for side in (pair.base, pair.head)))


def measured(path: Path = MEASURED) -> Measured:
    return from_json(path.read_bytes(), Measured)


def sources_sha256(sources: Path = SOURCES) -> str:
    """Hash of a program's sources. Another hash is another measurement."""
    digest = hashlib.sha256()
    for path in sorted((*sources.glob("*.[ch]"), header())):
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def program() -> Path:
    """The pairs' program: the same bytes for the host and the guest."""
    return built(sources_sha256(), sorted(SOURCES.glob("*.c")))


def built(sources: str, paths: Iterable[Path]) -> Path:
    """A program of these C files in this order, built when not yet there. sources: hash of all that it is made of."""
    made = Path(tempfile.gettempdir()) / f"kassay-pairs-{sources}" / "pairs"
    if not made.is_file():
        made.parent.mkdir(parents=True, exist_ok=True)
        files = [str(path) for path in paths]
        scratch = made.with_name("new")
        subprocess.run(("gcc", *FLAGS, *_WARNINGS, f"-I{header().parent}", "-o", str(scratch), *files), check=True)
        scratch.rename(made)
    return made
