# SPDX-License-Identifier: GPL-2.0-only
"""A guest's recording of system calls and faults -> the sizes of the calls in the measured executions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kassay.labs.notice.model import CallSizes, SizeBin
from kassay.tools.recording.pages import PagesError
from kassay.tools.recording.recorded import Written, lost_of, read_written
from kassay.tools.recording.ring import Events, Format, read_pages

ADVICE = {
    0: "NORMAL", 1: "RANDOM", 2: "SEQUENTIAL", 3: "WILLNEED", 4: "DONTNEED", 8: "FREE", 9: "REMOVE", 10: "DONTFORK",
    12: "MERGEABLE", 14: "HUGEPAGE", 15: "NOHUGEPAGE", 16: "DONTDUMP", 18: "WIPEONFORK", 20: "COLD", 21: "PAGEOUT",
    22: "POPULATE_READ", 23: "POPULATE_WRITE", 24: "DONTNEED_LOCKED", 25: "COLLAPSE",
}  # fmt: skip
"""Words of madvise(2) by their numbers (include/uapi/asm-generic/mman-common.h)."""

_LENGTHS = {
    "madvise": "len_in", "mincore": "len", "mlock": "len", "mmap": "len", "mprotect": "len", "mremap": "new_len",
    "msync": "len", "munlock": "len", "munmap": "len",
}  # fmt: skip
_MOVABLE = 1
_ORDER_ZERO = "folio order"
_ALL = np.iinfo(np.int64).max
Numbers = npt.NDArray[np.int64]


class Commands(NamedTuple):
    """Commands that the runner executes, in order.

    First `between` commands and the program once, not measured; then `rounds` times `between` commands and the program;
    then `checks` commands.
    """

    rounds: int
    between: int = 0
    checks: int = 0
    programs: bool = True
    """False for a workload that executes no program."""


class Recorded(NamedTuple):
    """Sizes of the calls of a recorded run."""

    sizes: tuple[CallSizes, ...]
    """Sizes of the calls of all executions."""
    executions: int
    lost: int
    """Events for which the kernel had no room."""


class _Events(NamedTuple):
    """All events of one kind, of all CPUs in order of time."""

    time_ns: Numbers
    pid: Numbers
    fields: Mapping[str, Numbers]
    """Fields by name."""


def call_sizes(data: bytes, commands: Commands, page_bytes: int) -> Recorded:
    """Raises PagesError for a file that is no recording, or that lacks executions."""
    written = read_written(data)
    try:
        return _call_sizes(written, commands, page_bytes)
    except (LookupError, ValueError, OverflowError) as error:
        raise PagesError(f"the recording is not whole ({type(error).__name__}: {error})") from error


def _call_sizes(written: Written, commands: Commands, page_bytes: int) -> Recorded:
    cpus = [read_pages(raw) for _, raw in sorted(written.pages.items())]
    events = {name.partition("/")[2]: _read(cpus, kind) for name, kind in written.formats.items()}
    recorder, windows = _windows(events, commands)
    sizes = [
        _sizes(call, values, len(windows), order=call == _ORDER_ZERO)
        for call, values in _calls(events, page_bytes, windows, recorder)
        if len(values)
    ]
    return Recorded(tuple(sizes), len(windows), lost_of(written) + sum(cpu.missed for cpu in cpus))


def _read(cpus: Sequence[Events], kind: Format) -> _Events:
    """Only fields of four or eight bytes are read; of a text field these hold its offset and length."""
    chosen = [events.of(kind) for events in cpus]
    time = np.concatenate([cpu.time_ns[at] for cpu, at in zip(cpus, chosen, strict=True)]).astype(np.int64)
    order = np.argsort(time, kind="stable")
    fields = {
        name: np.concatenate([cpu.field(kind, name, at) for cpu, at in zip(cpus, chosen, strict=True)])
        .astype(np.int64)[order]
        for name, (offset, size) in kind.fields.items()
        if size in (4, 8) and offset % 4 == 0
    }  # fmt: skip
    return _Events(time[order], fields.pop("common_pid"), fields)


def _windows(events: Mapping[str, _Events], commands: Commands) -> tuple[int, tuple[tuple[int, int], ...]]:
    """(the recorder's task, begin and end of each measured execution)."""
    forks, execs, exits = (events[f"sched_process_{word}"] for word in ("fork", "exec", "exit"))
    if not len(forks.pid):
        raise PagesError("no task was started while it was recorded", "record again")
    recorder, runner = int(forks.pid[0]), int(forks.fields["child_pid"][0])
    begins: dict[int, int] = {}
    for pid, at in zip(execs.pid, execs.time_ns, strict=True):
        begins.setdefault(int(pid), int(at))  # the first one: a shell may replace itself by its last command
    ends = {int(pid): int(at) for pid, at in zip(exits.pid, exits.time_ns, strict=True)}
    if not commands.programs:
        return recorder, ((begins.get(runner, 0), ends.get(runner, _ALL)),)
    children = [int(pid) for pid in forks.fields["child_pid"][forks.pid == runner] if int(pid) in begins]
    children = children[: len(children) - commands.checks]
    step = commands.between + 1
    if len(children) < step * (commands.rounds + 1):
        raise PagesError(
            f"{len(children)} commands were recorded instead of {step * (commands.rounds + 1)}", "record again"
        )
    chosen = children[::-1][: step * commands.rounds : step]
    return recorder, tuple((begins[pid], ends.get(pid, _ALL)) for pid in reversed(chosen))


def _calls(
    events: Mapping[str, _Events], page_bytes: int, windows: Sequence[tuple[int, int]], recorder: int
) -> Iterator[tuple[str, Numbers]]:
    """Name and sizes of each kind of call that was made in the windows, without those of the recorder."""
    for call, field in _LENGTHS.items():
        calls = events.get(f"sys_enter_{call}")
        if calls is None or field not in calls.fields:
            continue
        inside = _inside(calls, windows, recorder)
        pages = -(-calls.fields[field][inside] // page_bytes)
        if call == "madvise":
            yield from _split(call, calls.fields["behavior"][inside], pages, lambda word: ADVICE.get(word, str(word)))
            continue
        yield call, pages
        if call == "mprotect":
            yield from _split(call, calls.fields["prot"][inside] & 7, pages, protection_text)
    if "sys_enter_brk" in events:
        yield "brk", _growth(events["sys_enter_brk"], page_bytes, windows, recorder)
    if "mm_page_alloc" in events:
        calls = events["mm_page_alloc"]
        inside = _inside(calls, windows, recorder) & (calls.fields["migratetype"] == _MOVABLE)
        yield _ORDER_ZERO, calls.fields["order"][inside]


def protection_text(word: int) -> str:
    """ "rw-" as of /proc/PID/maps."""
    return "".join(letter if word >> bit & 1 else "-" for bit, letter in enumerate("rwx"))


def _split(call: str, values: Numbers, pages: Numbers, name: Callable[[int], str]) -> Iterator[tuple[str, Numbers]]:
    for word in np.unique(values):
        yield f"{call} {name(int(word))}", pages[values == word]


def _growth(events: _Events, page_bytes: int, windows: Sequence[tuple[int, int]], recorder: int) -> Numbers:
    """Number of pages by which each task moved its break from call to call, up or down."""
    inside = _inside(events, windows, recorder) & (events.fields["brk"] > 0)
    pid, end = events.pid[inside], events.fields["brk"][inside]
    order = np.lexsort((np.arange(len(pid)), pid))
    steps: Numbers = np.abs(np.diff(end[order]))[np.diff(pid[order]) == 0]
    pages: Numbers = -(-steps[steps > 0] // page_bytes)
    return pages


def _inside(events: _Events, windows: Sequence[tuple[int, int]], recorder: int) -> npt.NDArray[np.bool_]:
    inside = np.zeros(len(events.pid), bool)
    for begin, end in windows:
        inside |= (events.time_ns >= begin) & (events.time_ns <= end)
    counted: npt.NDArray[np.bool_] = inside & (events.pid != recorder)
    return counted


def _sizes(call: str, values: Numbers, executions: int, *, order: bool) -> CallSizes:
    values = np.sort(values)
    pages = np.left_shift(1, values) if order else values
    half = int(np.searchsorted(np.cumsum(pages), pages.sum() / 2))
    bounds = [(int(v), int(v)) for v in np.unique(values)] if order else list(_powers(int(values[-1])))
    bins = []
    for least, most in bounds:
        within = (values >= least) & (values <= most)
        if within.any():
            bins.append(SizeBin(least=least, most=most, calls=int(within.sum()), pages=int(pages[within].sum())))
    return CallSizes(
        what=call, unit="order" if order else "pages", executions=executions, calls=len(values), pages=int(pages.sum()),
        median=int(values[(len(values) - 1) // 2]), p90=int(values[-(-9 * len(values) // 10) - 1]),
        largest=int(values[-1]), typical=int(values[half]), bins=tuple(bins),
    )  # fmt: skip


def _powers(most: int) -> Iterator[tuple[int, int]]:
    """(0, 0), (1, 1), (2, 2), (3, 4), (5, 8) ... until `most` is included."""
    yield 0, 0
    last = 0
    while last < most:
        first, last = last + 1, max(1, 2 * last)
        yield first, last
