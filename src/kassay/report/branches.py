# SPDX-License-Identifier: GPL-2.0-only
"""The document of `kassay profile --branches`: branches and loops of a function, kernel by kernel."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from kassay.model.branches import Branch, BranchReport, CodePlace, KernelBranches, Loop, Times
from kassay.model.lines import Frame
from kassay.model.texts import Table, TableCell, cells, counted, figures, one_line, table
from kassay.model.units import format_change, format_number
from kassay.report.answers import Kind
from kassay.report.document import VERDICT, Document, Items, Paragraph, Section, section_of_table

_C = ".c"


def document(report: BranchReport) -> Document:
    """A table of branches and one of loops for each kernel."""
    tables = [table for kernel in report.kernels for table in _tables(kernel)]
    return Document(
        title=one_line(f"{report.function}: branches and loops"), kicker="kassay profile",
        kassay_version=report.kassay_version, width=120, level=3,
        blocks=(
            *(Paragraph(text=_summary(report.function, kernel), tone=VERDICT) for kernel in report.kernels),
            *map(section_of_table, tables),
            Section(title="How to read this", blocks=(Items(texts=tuple(_notes(report))),)),
        ),
    )  # fmt: skip


def _summary(function: str, kernel: KernelBranches) -> str:
    found, per = kernel.found, kernel.operations
    at = f" ({kernel.where})" if kernel.where else ""
    head = f"{function} on {kernel.kernel}{at}, {kernel.metric}:"
    if not found.branches and not found.loops:
        ran = (
            f"called {format_number(found.calls / per)} times per {kernel.operation}" if found.calls else "not executed"
        )
        return one_line(f"{head} {ran}, no branch ran.")
    both = sum(branch.taken.least > 0 and branch.passed.least > 0 for branch in found.branches)
    calls = f"{format_number(found.calls / per)} calls per {kernel.operation}, " if found.calls else ""
    text = f"{calls}{counted(len(found.branches), 'branch')}, {both or 'none'} of them both ways"
    return one_line(f"{head} {text}, {counted(len(found.loops), 'loop')}.")


def _tables(kernel: KernelBranches) -> Iterator[Table]:
    branches, loops = kernel.found.branches, kernel.found.loops
    places = [*(branch.place for branch in branches), *(loop.place for loop in loops)]
    words = _Words(kernel.operations, len({place.symbol for place in places}) == 1, any(p.frames for p in places))
    at = f" ({kernel.where})" if kernel.where else ""
    title = f"{kernel.kernel}, {kernel.metric}{at}"
    if branches:
        columns = (*words.names("branch"), *figures("executed", "taken", "not taken", "share taken"))
        yield _wide(f"{title}: branches, times per {kernel.operation}", columns, map(words.branch, branches))
    if loops:
        columns = (*words.names("loop"), *figures("entered", "iterations", "iterations per entry"))
        yield _wide(f"{title}: loops, times per {kernel.operation}", columns, map(words.loop, loops))


def _wide(title: str, columns: Sequence[str], rows: Iterable[tuple[TableCell, ...]]) -> Table:
    return structs.replace(table(one_line(title), columns, rows), name_width=0)


class _Words(NamedTuple):
    """Rows of one kernel."""

    per: int
    """Operations that the counts are divided by."""
    alone: bool
    """True if all places lie in one symbol, whose name is then left out."""
    has_lines: bool

    def names(self, name: str) -> tuple[str, ...]:
        return ("source", name) if self.has_lines else (name,)

    def branch(self, branch: Branch) -> tuple[TableCell, ...]:
        taken, passed, ran = branch.taken, branch.passed, branch.executed
        share = tuple(format_change(count / ran).lstrip("+") for count in (taken.least, taken.most))
        jump = f"{branch.instruction} {_offset(branch.leads_to)}"
        return cells(
            *self._where(branch.place, jump), format_number(ran / self.per), _times(taken, self.per),
            _times(passed, self.per), share[0] if taken.is_exact else f"{share[0]} to {share[1]}",
            mark="differs" if taken.least and passed.least else "",
        )  # fmt: skip

    def loop(self, loop: Loop) -> tuple[TableCell, ...]:
        entered = loop.entered
        rates = [loop.iterations / count if count else None for count in (entered.most, entered.least)]
        low, high = (format_number(rate) if rate is not None else "-" for rate in rates)
        return cells(
            *self._where(loop.place), _times(entered, self.per), format_number(loop.iterations / self.per),
            low if entered.is_exact else f"{low} to {high}",
        )  # fmt: skip

    def _where(self, place: CodePlace, jump: str = "") -> tuple[str, ...]:
        at = f"{'' if self.alone else place.symbol}{_offset(place.offset)} {jump}".rstrip()
        return (_source(place.frames), at) if self.has_lines else (at,)


def _times(count: Times, per: int) -> str:
    low, high = (format_number(number / per) for number in (count.least, count.most))
    return low if count.is_exact else f"{low} to {high}"


def _offset(offset: int) -> str:
    return f"{'-' if offset < 0 else '+'}{abs(offset):#x}"


def _source(frames: tuple[Frame, ...]) -> str:
    """The innermost line of a C file, and what a header's function does there."""
    if not frames:
        return "-"
    named = next((frame for frame in frames if (frame.file or "").endswith(_C)), frames[0])
    inner = "" if named is frames[0] else f" ({frames[0].function})"
    return f"{named.file or '-'}:{named.line or '?'} {named.function}{inner}"


def _notes(report: BranchReport) -> Iterator[str]:
    yield "Executed: how often the branch ran. Taken: how often it led to its target, which stands behind its mnemonic."
    yield "A loop's iterations are executions of its first instruction; they are a mean, as entries are not told apart."
    found = [kernel.found for kernel in report.kernels]
    counts = [branch.taken for one in found for branch in one.branches]
    counts += [loop.entered for one in found for loop in one.loops]
    if all(count.is_exact for count in counts):
        yield "All counts are exact: the counts of the blocks that a branch leads to leave one possibility."
    else:
        yield "A to B: the counts of the blocks do not decide between these, because more than one place leads there."
    if not all(one.has_lines for one in found):
        yield (
            "A kernel without line tables shows the function's own code; copies that are inlined elsewhere are not "
            "found. Kernels that kassay builds have line tables."
        )


BRANCHES = Kind(document=document)
