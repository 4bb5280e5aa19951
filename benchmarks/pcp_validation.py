# SPDX-License-Identifier: GPL-2.0-only
"""The model of page lists held against real guests: the validation tables of docs/results/pcp-findings.md.

usage: python -m benchmarks.pcp_validation TRACES [PAGE]     half an hour of boots; traces that are in TRACES are kept

Records each guest of DEVELOPED_WITH, HELD_OUT and RELEASES into TRACES, replays it, prints the tables, and writes them
between their markers in PAGE. The replay was written with the traces of DEVELOPED_WITH. HELD_OUT was fixed before any
of its guests was recorded, and nothing that changes its figures was changed after one of them was looked at.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.predict_truth import placed
from kassay.commands._show import showing
from kassay.errors import KassayError
from kassay.labs.pcp.model.replayed import PcpReplay, Replayed, ReplayedTrace
from kassay.labs.pcp.replay import Asked, replay
from kassay.model.experiment import Axis, Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import full_ref
from kassay.model.progress import Tell
from kassay.model.units import format_change, format_number
from kassay.tools.recording.record import Recorded, record


class Guest(NamedTuple):
    """One workload on several kernels. settings: as of --set."""

    workload: str
    kernels: Sequence[str]
    settings: Sequence[tuple[str, str]] = ()
    cpus: int = 2
    rounds: int = 3


TUNED = ("6.12", "7.3")
HELD_OUT = (
    Guest("process_mix", TUNED, (("tasks", "2"), ("jobs", "16"), ("memory", "16MiB"))),
    Guest("process_mix", ("6.1",), (("jobs", "16"), ("memory", "16MiB")), cpus=1),
    Guest("process_start", TUNED, rounds=200),
    Guest("page_fault", TUNED, (("size", "96MiB"), ("tasks", "4")), cpus=4, rounds=2),
    Guest("page_handover", TUNED, (("sockets", "16"),), rounds=60),
    Guest("page_handover", ("6.1",), (("sockets", "16"),), cpus=1, rounds=60),
    Guest("shmem_fallocate", TUNED, (("size", "128MiB"),)),
    Guest("shmem_fallocate", ("6.1",), (("size", "128MiB"),), cpus=1),
    Guest("vmalloc_cycle", TUNED, (("size", "64MiB"),)),
)
RELEASES = Guest("page_handover", ("6.12", "6.16", "6.17", "6.18", "6.19", "7.0", "7.1", "7.3"), rounds=60)
DEVELOPED_WITH = (
    Guest("page_fault", TUNED, (("size", "64MiB"), ("tasks", "2")), rounds=4),
    Guest("page_fault", ("6.1",), (("size", "64MiB"), ("tasks", "1")), cpus=1, rounds=4),
    Guest("page_handover", TUNED, rounds=60),
    Guest("page_handover", ("6.1",), cpus=1, rounds=40),
    Guest("process_mix", TUNED),
    Guest("process_start", TUNED, rounds=40),
)
_BOTH = ("auto", "auto_7_3")


def recorded(guest: Guest, traces: Path, tell: Tell) -> list[Path]:
    """Traces of one workload; a kernel that gives none is told of and left out."""
    experiment = Experiment(
        name="pcp-validation", question="value", kernels=tuple(KernelUse(ref=full_ref(ref)) for ref in guest.kernels),
        workloads=(WorkloadUse(name=guest.workload, axes=tuple(Axis(name=n, values=(v,)) for n, v in guest.settings)),),
        cpus=(guest.cpus,), rounds=guest.rounds, repeats=1, perturb=0, profile="none", timeout_s=900,
    )  # fmt: skip
    found: tuple[Recorded, ...] = record(experiment, traces, tell)
    for one in found:
        if one.path is None:
            print(f"not recorded: {one.kernel} {guest.workload}: {one.problem}", file=sys.stderr)
    in_order = sorted(found, key=lambda one: one.cell.kernel)
    return [one.path for one in in_order if one.path is not None]


def replayed(paths: Sequence[Path], asked: Asked, tell: Tell) -> list[ReplayedTrace]:
    """Traces that can be replayed; what is wrong with another one is told."""
    found: list[ReplayedTrace] = []
    for path in paths:
        try:
            answer: PcpReplay = replay((path,), asked, tell)
            found += answer.traces
        except KassayError as error:
            print(f"not replayed: {error.what}", file=sys.stderr)
    return found


def validation(traces: Iterable[ReplayedTrace], plain: Iterable[ReplayedTrace]) -> str:
    """plain: the same without what the traces show of each list at the begin."""
    lines = [
        "| kernel | workload, CPUs | page events | | refills | pages refilled | pages drained | all moved | over time |"
        " high | count | all moved, lists not known |",
        "| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for trace, other in zip(traces, plain, strict=True):
        guest, (own,), (without,) = trace.guest, trace.policies, other.policies
        first = (_release(trace), f"{_workload(trace)}, {guest.cpus}", format_number(guest.allocations + guest.frees))
        lines += [_row(*first, "guest", *_totals(guest.totals), *("",) * 5),
                  _row("", "", "", f"`{own.policy}`", *_totals(own.totals), *_errors(own),
                       format_change(without.errors.moved))]  # fmt: skip
    return "\n".join(lines) + "\n"


def releases(traces: Iterable[ReplayedTrace]) -> str:
    """Table of the condition of free_high that each release has, of two, judged by what its guest did."""
    lines = [
        "| kernel | pages drained in blocks of order 1-3: guest | by `auto` | by `auto_7_3` | all moved, `auto` |"
        " all moved, `auto_7_3` |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for trace in traces:
        drained = [trace.guest.totals, *(one.totals for one in trace.policies)]
        numbers = [format_number(totals.high_order_drained) for totals in drained]
        lines.append(_row(_release(trace), *numbers, *(format_change(one.errors.moved) for one in trace.policies)))
    return "\n".join(lines) + "\n"


def _row(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"


def _release(trace: ReplayedTrace) -> str:
    return trace.guest.release.partition("+")[0].removesuffix("-cloud-amd64")


def _workload(trace: ReplayedTrace) -> str:
    name, _, settings = trace.guest.workload.partition(" ")
    shown = [one for one in settings.split() if one.split("=")[0] in ("size", "tasks", "jobs", "memory", "sockets")]
    return " ".join((f"`{name}`", *shown))


def _totals(totals: object) -> tuple[str, ...]:
    return tuple(format_number(getattr(totals, name)) for name in ("refills", "refilled_pages", "drained_pages"))


def _errors(one: Replayed) -> tuple[str, ...]:
    errors = one.errors
    shares = ("-" if value is None else f"{100 * value:.2f} %" for value in (errors.path, errors.high, errors.count))
    return format_change(errors.moved), *shares


def main() -> None:
    """Prints the tables, and writes them to the page."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: python -m benchmarks.pcp_validation TRACES [PAGE]")
    directory, page = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if page and not page.is_file():
        sys.exit(f"{page}: is not there; name a page that has the markers, as docs/results/pcp-findings.md")
    parts = {}
    with showing() as tell:
        for name, guests in (("written with", DEVELOPED_WITH), ("held out", HELD_OUT)):
            paths = [path for guest in guests for path in recorded(guest, directory, tell)]
            parts[name] = validation(*(replayed(paths, Asked(by_list=by_list), tell) for by_list in (True, False)))
        parts["releases replayed"] = releases(replayed(recorded(RELEASES, directory, tell), Asked(_BOTH), tell))
    print("\n".join(parts.values()))
    if page:
        page.write_text(placed(page.read_text(), parts))


if __name__ == "__main__":
    main()
