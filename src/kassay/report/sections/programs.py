# SPDX-License-Identifier: GPL-2.0-only
"""Users' programs: the cost of one system call or fault, for any number of calls, and the figures they printed."""

from collections.abc import Callable, Iterator, Sequence
from shlex import quote

from msgspec import structs

from kassay.model.finding import CHANGES, Finding, Ladder
from kassay.model.printed_values import PrintedRow
from kassay.model.program import ProgramUse
from kassay.model.reason import Reason
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import Table, cells, figures, machine_text, one_line, settings_text, table
from kassay.model.units import format_change, format_number, format_numbers
from kassay.model.work import DOMINANT, NAMED, NO_VERDICT, OF_OTHERS, RATE, CallCost
from kassay.report.document import PAGE, Section, filled
from kassay.report.sections.brief import first_tables
from kassay.report.words import floor_text

_READING = ("getdents64()", "pread64()", "read()")
_WAITING = ("epoll_wait()", "futex()", "poll()", "sched_yield()")
"""Calls that read files of the kernel, and calls by which tasks wait for each other."""
AWAKE = "if the program sleeps, name a region with --from and --to in which it does not; other tasks run meanwhile"
"""Advice for a user beside whose program other tasks ran."""


def next_step(program: ProgramUse | None, sched: str, what: str, counted: str) -> str:
    """Advice for a user whose program or application did different work. sched: its policy, if one was chosen. what:
    the work that differs. counted: the name by which the program prints its operations, "" if none is known."""
    fixed = "" if sched else "repeat with --sched fifo, which fixes the order of its tasks"
    if program is None or program.application:
        return fixed or "choose other settings, with which the application does the same work each time"
    if fixed and what.startswith(_WAITING):
        return f"{fixed}; or fix the number of operations in the program"
    if OF_OTHERS in what:
        return "let the program wait for all of its children and threads" + (f"; or {fixed}" if fixed else "")
    turning = f"; if its tasks take turns, {fixed}" if fixed else ""
    if program.work:
        return f"let each execution do more operations, so that its start and its end weigh less{turning}"
    text = "; if it reads files of /proc or /sys, one kernel writes more into them: leave that out of the region"
    longer = text if what.startswith(_READING) else ""
    region = "name another region with --from and --to" if program.points else "name a region with --from and --to"
    divided = f"divide with --work {quote(counted) if counted else 'NAME'}"
    return f"fix the number of operations in the program, {region}, or {divided}{longer}{turning}"


def same_start(why: Reason) -> str:
    """Advice for a user whose program made the same calls on other memory or files. why: the reason."""
    alike = "let the program do the same on both kernels, also before the region and the calls that are named above"
    huge = why.code == "found-otherwise" and "huge pages" in str(why["noun"])
    return f"{alike}; if it does, the kernels gave it other huge pages: compare with --thp never" if huge else alike


def turns(sched: str) -> str:
    """Advice for a user whose change lies between the calls of the program. sched: its policy, if one was chosen."""
    return "" if sched else "repeat with --sched fifo, which fixes the order of the program's tasks"


def dominant_calls(finding: Finding) -> tuple[CallCost, ...]:
    """The costs that are the answer of a comparison refused for its amount of work: that of a printed operation, and of
    the calls that carry most of the value; empty if neither is known."""
    large = [cost for cost in finding.calls if cost.share >= NAMED]
    if finding.verdict != "different-work" or sum(cost.share for cost in large) < DOMINANT:
        return ()
    return tuple(large)


def calls_text(finding: Finding, base: str, head: str) -> str:
    """One sentence for each of dominant_calls(). base, head: names of the kernels."""
    return " ".join(_sentence(cost, base, head) for cost in dominant_calls(finding))


def steps_text(ladder: Ladder, findings: Sequence[Finding], name_of: Callable[[str], str]) -> str:
    """The first cost of dominant_calls() for each step of a ladder that was refused for its amount of work.

    name_of: the name of a kernel by its label.
    """
    ends = [step.ends for step in ladder.steps]
    texts = [
        _sentence(dominant_calls(finding)[0], *map(name_of, finding.kernels))
        for finding in findings
        if (finding.point, finding.metric) == (ladder.point, ladder.metric) and dominant_calls(finding)
        and finding.kernels in ends
    ]  # fmt: skip
    return " ".join(texts)


def _sentence(cost: CallCost, base: str, head: str) -> str:
    """ "Per madvise() call: 273 460 to 326 725 instructions from 6.12 to 7.3 (+19.5 %, regression; exact); 5 and 4
    calls were made per execution." """
    values = f"{format_number(cost.base)} to {format_number(cost.head)} instructions"
    why = f" {NO_VERDICT[cost.why]}" if cost.why in NO_VERDICT else ""
    judged = f"{format_change(cost.change)}, {cost.verdict}{why}; {cost.evidence}"
    made = " and ".join(dict.fromkeys(map(format_number, (cost.base_times, cost.head_times))))
    return f"Per {cost.text}: {values} from {base} to {head} ({judged}); {made} {cost.counted}."


def calls_tables(report: Report) -> tuple[Table, ...]:
    """One table for each comparison of a program whose calls are known."""
    return tuple(_table(finding) for finding in report.findings if finding.primary and finding.calls)


def _table(finding: Finding) -> Table:
    base, head = finding.kernels
    names = ("call", *(one_line(cost.text) for cost in finding.calls))
    rows = zip(
        names[1:], format_numbers([cost.base for cost in finding.calls]),
        format_numbers([cost.head for cost in finding.calls]), finding.calls, strict=True,
    )  # fmt: skip
    where = ", ".join(text for text in (settings_text(finding.settings), machine_text(finding.machine)) if text)
    return table(
        f"Cost of one call: {one_line(finding.workload)} ({where}) [instructions, callees included]",
        ("call", *figures(base, head, "change", "noise floor"), "verdict", "evidence", *figures("calls per round")),
        (cells(name, low, high, *_judged(cost)) for name, low, high, cost in rows),
    )


def _judged(cost: CallCost) -> tuple[str, ...]:
    verdict = f"{cost.verdict} ◄" if cost.verdict in CHANGES else cost.verdict
    times = " → ".join(dict.fromkeys(map(format_number, (cost.base_times, cost.head_times))))
    times += " per second" if cost.kind == RATE else ""
    return format_change(cost.change), floor_text(cost.floor), verdict, cost.evidence, times


_CALLS = (
    "What the kernel executes for one call or fault of the program, with all that it calls, and the faults inside of "
    "a call. It does not depend on how many calls there were, if each does the same.",
)


def calls(report: Report) -> Iterator[Section]:
    """The cost of one call. A screen has it only where the amounts of work differ and nothing else can be reported."""
    refused = tuple(f for f in report.findings if f.verdict == "different-work")
    yield from first_tables(report, calls_tables(structs.replace(report, findings=refused)))
    yield from filled("What one call costs", text=_CALLS, tables=calls_tables(report), readers=(PAGE,))


def _kind(row: PrintedRow) -> str:
    """The kind of a printed value in words. A name with "cycles" may be of a clock, or a count of the program's own."""
    if row.kind != "time":
        return row.kind
    return "virtual, if of a clock" if "cycles" in row.name.lower() else "virtual time"


def printed_tables(report: Report) -> tuple[Table, ...]:
    """Names down, kernels across; nothing where no program printed what can be read."""
    points = grouped(
        ((row.workload, settings_text(row.settings), machine_text(row.machine)), row) for row in report.printed
    )
    return tuple(_printed_table(point, rows, len(points) > 1) for point, rows in points.items())


def _printed_table(point: tuple[str, ...], rows: list[PrintedRow], several: bool) -> Table:
    kernels = [label for label, _ in rows[0].values]
    lines = (
        cells(one_line(row.name), *(value if value is not None else "-" for _, value in row.values), _kind(row),
              "the same each time" if row.steady else "varies")
        for row in rows
    )  # fmt: skip
    where = f", {point[1]}; {point[2]}" if several else ""
    return table(
        f"printed by {one_line(point[0])}{where}", ("name", *kernels, "what it is", "executions"), lines
    )  # fmt: skip


_PRINTED = (
    "The program's own figures; kassay judges what it counted. Clocks that a program reads are the guest's: under "
    "exact counts a nanosecond is an instruction, so a time is no wall time.",
)


def printed(report: Report) -> Iterator[Section]:
    """Figures that the user's program printed."""
    shown = printed_tables(report)
    yield from first_tables(report, shown)
    yield from filled("What the program printed", text=_PRINTED, tables=shown, readers=(PAGE,))
