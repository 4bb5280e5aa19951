# SPDX-License-Identifier: GPL-2.0-only
"""Run directories as measure() leaves them, with the counts that a test wants."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from kassay.journal import artifacts
from kassay.journal.directory import started
from kassay.journal.journal import append, open_journal
from kassay.model.experiment import KernelUse
from kassay.model.kernel import KernelIdentity
from kassay.model.plan import Plan, PlannedRun
from kassay.model.run import RunRecord, WallTime
from tests.analysis.plans import plan_of
from tests.guest.frames import RECORDS, booted

OPERATIONS = 10
_TASKS = tuple(("file", f"{moment}:kassay/tasks", b"9 toy\t5000 0 1\n") for moment in ("before", "after"))


def plan_with(releases: Sequence[str], cmdline: str = "", **changes: object) -> Plan:
    """One kernel for each release, as if from the archive, of one version each."""
    plan = plan_of(len(releases), **changes)
    uses = tuple(KernelUse(ref=kernel.ref, cmdline=cmdline) for kernel in plan.kernels)
    plan = msgspec.structs.replace(
        plan, experiment=msgspec.structs.replace(plan.experiment, kernels=uses),
        cells=tuple(msgspec.structs.replace(cell, cmdline=cmdline) for cell in plan.cells),
    )  # fmt: skip
    kernels = tuple(_kernel(old.ref, release) for old, release in zip(plan.kernels, releases, strict=True))
    return msgspec.structs.replace(plan, kernels=kernels)


def _kernel(ref: str, release: str) -> KernelIdentity:
    return KernelIdentity(ref=ref, arch="x86_64", release=release, image_sha256=f"image of {release}",
                          package_version=f"{release}-1", compiler="gcc 12, ld 2.40")  # fmt: skip


def stream(per_operation: Sequence[int]) -> bytes:
    """A whole boot whose rounds cost so many ticks per operation."""
    rows, at = [], 0
    for cost in per_operation:
        rows.append(f"{at} {at} {at} {at + cost * OPERATIONS}")
        at += cost * OPERATIONS
    rounds = ("\n".join(rows) + "\n").encode()
    others = (r for r in RECORDS if r[0] not in ("require", "rounds"))  # no state is captured that could be required
    return booted(*others, ("rounds", "-", rounds), ("file", "after:kassay/own", b"pid 9\n"), *_TASKS)


def runs_of(plan: Plan, kernel: int) -> list[PlannedRun]:
    """Planned runs of one kernel, in the order of their repeats."""
    cells = {cell.id for cell in plan.cells if cell.kernel == kernel}
    return sorted((run for run in plan.runs if run.cell in cells), key=lambda run: run.repeat)


def keep(directory: Path, run: PlannedRun, cost: int | None, *, attempt: int = 1,
         started_utc: str = "2026-11-21T17:05:49Z", spread: int = 0, host: str = "") -> None:  # fmt: skip
    """One attempt; a cost of None is a panic. spread: by which the other rounds differ from the middle one."""
    data = stream([cost - spread, cost, cost + spread]) if cost is not None else b""
    record = RunRecord(
        run=run.id, attempt=attempt, outcome="ok" if data else "panic", detail="" if data else "why",
        stream_sha256=artifacts.put(directory, data) if data else None, console_sha256=None, wall=WallTime(), argv=(),
        started_utc=started_utc, host=host or msgspec.UNSET,
    )  # fmt: skip
    append(directory / "journal.jsonl", record)


def measured(directory: Path, plan: Plan, costs: Mapping[int, Sequence[int | None]], **when: str) -> Path:
    """A directory of `plan` in which the first runs of each kernel cost what is given."""
    here = started(directory, plan)
    open_journal(here.journal, here.plan_id)
    for kernel, values in costs.items():
        for run, cost in zip(runs_of(plan, kernel), values, strict=False):
            keep(directory, run, cost, **when)  # type: ignore[arg-type]
    return directory
