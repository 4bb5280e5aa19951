# SPDX-License-Identifier: GPL-2.0-only
"""Builds profile files, symbol tables and guest reports by hand; counts are given round by round."""

from collections.abc import Sequence

from kassay.evidence.profile.counters import CONTEXTS_IN_FILE
from kassay.evidence.profile.symbols import Symbols
from kassay.model.guest import GuestReport, PhaseRounds

KERNEL = 0xFFFFFFFF81000000
NOP = b"\x90"
RET = b"\xc3"
LOCKED = b"\xf0\xff\x07"  # lock incl (%rdi)
INVLPG = b"\x0f\x01\x38"
REP_MOVSB = b"\xf3\xa4"
CALL_RAX, JMP_RAX = b"\xff\xd0", b"\xff\xe0"

Counts = dict[int, int]


def as_read(slot: int) -> int:
    """The number that a slot of a file of version 1, which has four contexts, has once it is read."""
    return slot // 4 * CONTEXTS_IN_FILE + slot % 4


def call(site: int, target: int) -> bytes:
    """call at address `site`."""
    return b"\xe8" + (target - site - 5).to_bytes(4, "little", signed=True)


def jmp(site: int, target: int) -> bytes:
    return b"\xe9" + (target - site - 5).to_bytes(4, "little", signed=True)


class File:
    """A profile in the making. counts: by round of the file, counter -> slot -> count; each round is given whole."""

    def __init__(self, mode: str = "counts", intervals: int = 2, rounds: int = 1, version: int = 1) -> None:
        self.head = f"profile {version} {mode} x86_64 1 {intervals}"
        self.deferred: list[str] = []
        self.intervals = intervals
        self.definitions: list[str] = []
        self.counts: list[dict[int, Counts]] = [{} for _ in range(rounds + 1)]
        self.tasks: list[tuple[int, str]] = [(0, "own")]
        self.lost = 0
        self.switches: tuple[int, int] | None = None  # that began, that were missed
        self.late: list[tuple[int, int, int, int]] = []

    def block(self, address: int, *code: bytes) -> int:
        lengths = "".join(f"{len(instruction):x}" for instruction in code)
        return self._define("b", f"{address:x}", lengths, b"".join(code).hex())

    def stop(self, block: int, after: int) -> int:
        return self._define("s", block, after)

    def unknown(self, block: int) -> int:
        return self._define("u", block)

    def iteration(self, block: int) -> int:
        return self._define("i", block)

    def jump(self, site: int, target: int) -> int:
        return self._define("e", site, target)

    def load(self, block: int) -> int:
        return self._define("l", block)

    def store(self, block: int) -> int:
        return self._define("w", block)

    def node(self, parent: int | None, address: int) -> int:
        return self._define("n", "-" if parent is None else parent, f"{address:x}")

    def entered(self, node: int) -> int:
        return self._define("a", node)

    def halts(self) -> int:
        return self._define("h")

    def count_late(self, counter: int, count: int, *, round: int, slot: int = 0) -> None:
        """A line behind all rounds that corrects one."""
        self.late.append((counter, round, slot, count))

    def count(self, counter: int, count: int, *, round: int = 1, slot: int = 0) -> None:
        self.counts[round].setdefault(counter, {})[slot] = count

    def lines(self) -> list[str]:
        lines = [self.head, *self.definitions]
        before: dict[int, Counts] = {}
        for number, counts in enumerate(self.counts):
            lines.append(f"r {number}")
            for counter in sorted(before.keys() | counts.keys()):
                now = counts.get(counter, {})
                if not now and before.get(counter):
                    lines.append(f"z {counter}")
                elif now != before.get(counter, {}):
                    lines.append(f"c {counter} " + " ".join(f"{s} {n}" for s, n in sorted(now.items())))
            before = counts
        lines += ["k " + " ".join(map(str, one)) for one in self.late]
        lines += [f"t {address:x} {kind}" for address, kind in self.tasks]
        marks = (len(self.counts) - 1) * self.intervals
        switches = zip(("switches", "missed"), self.switches or (), strict=False)
        return [*lines, f"x lost {self.lost}", *(f"x {name} {count}" for name, count in switches),
                *self.deferred, f"x marks {marks}"]  # fmt: skip

    def bytes(self) -> bytes:
        return finished(self.lines())

    def _define(self, kind: str, *words: object) -> int:
        number = len(self.definitions)
        self.definitions.append(" ".join(map(str, (kind, number, *words))))
        return number


def finished(lines: Sequence[str]) -> bytes:
    """The file of these lines, its end added."""
    return "\n".join((*lines, f"end {len(lines)}", "")).encode()


def symbols(*functions: tuple[int, int, str], place: str = "kernel") -> Symbols:
    """(address, size, name)."""
    return Symbols.load([table(*functions, place=place)], {})


def table(*functions: tuple[int, int, str], place: str = "kernel") -> bytes:
    lines = [f"{address:x} {size:x} 0 {name}\n" for address, size, name in functions]
    return (f"symbols 1 {place}\n" + "".join(lines)).encode()


def report(
    *ticks: int, intervals: tuple[str, ...] = ("work",), clock: str = "tsc", rate: int | None = None
) -> GuestReport:
    """One phase "work" with these ticks in each round, 10 operations."""
    phases = tuple(PhaseRounds(phase=name, operations=10, ticks=ticks) for name in intervals if name != "-")
    return GuestReport(
        workload="x",
        clock=clock,
        ticks_per_second=rate,
        overhead_ticks=0,
        phases=phases,
        requirements=(),
        files=(),
        check="ok",
        intervals=intervals,
    )
