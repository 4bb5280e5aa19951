# SPDX-License-Identifier: GPL-2.0-only
"""A directory is read again from its raw streams: measurements, failures, and runs that were lost."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from kassay.effects import process
from kassay.errors import BadInput
from kassay.evidence import collect as collect_module
from kassay.evidence.collect import collect
from kassay.journal import artifacts
from kassay.journal.directory import RunDirectory, started
from kassay.journal.journal import append, open_journal, read_journal
from kassay.model.plan import PlannedRun
from kassay.model.progress import Progress
from kassay.model.run import CellEvidence, Fields, RunRecord, WallTime
from kassay.supply.guest.compile import build
from kassay.supply.guest.protocol import parse
from tests.analysis.plans import plan_of

ROUNDS, PAGES = 4, 256


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Stream of mprotect_toggle, run on this very kernel."""
    out = tmp_path_factory.mktemp("native") / "stream"
    words = ("--run", "size=1MiB", "--rounds", str(ROUNDS), "--clock", "monotonic", "--out", str(out))
    done = process.run((str(build("mprotect_toggle", "x86_64")), *words))
    assert done.status == 0, done.err
    return out.read_bytes()


class Filled(NamedTuple):
    """A directory of two kernels with two plain runs and a perturbed one each, and the journal so far."""

    here: RunDirectory
    stream: bytes

    def keep(self, run: PlannedRun, outcome: str = "ok", attempt: int = 1, stream: bytes | None = None) -> RunRecord:
        """One attempt as measure() would leave it; a failed one ships nothing."""
        data = stream if stream is not None else self.stream if outcome == "ok" else b""
        record = RunRecord(
            run=run.id, attempt=attempt, outcome=outcome, detail="" if outcome == "ok" else f"why {outcome}",
            stream_sha256=artifacts.put(self.here.path, data) if data else None, console_sha256=None,
            wall=WallTime(), argv=(), started_utc="2026-11-21T17:05:49Z",
        )  # fmt: skip
        append(self.here.journal, record)
        return record

    def runs(self, kernel: int) -> list[PlannedRun]:
        cell = self.here.plan.cells[kernel].id
        return sorted((run for run in self.here.plan.runs if run.cell == cell), key=lambda run: run.repeat)

    def collect(self) -> tuple[CellEvidence, ...]:
        return collect(self.here, read_journal(self.here.journal))


@pytest.fixture
def filled(tmp_path: Path, stream: bytes) -> Filled:
    here = started(tmp_path, plan_of(2, repeats=2, perturb=1))
    open_journal(here.journal, here.plan_id)
    return Filled(here, stream)


def counts(evidence: Sequence[CellEvidence]) -> list[tuple[int, int, int]]:
    return [(len(e.measurements), len(e.failures), e.lost) for e in evidence]


def value(fields: Fields, name: str) -> str | None:
    return dict(fields)[name]


def test_before_the_first_run_every_cell_is_there_and_empty(filled: Filled) -> None:
    evidence = filled.collect()
    assert [e.cell for e in evidence] == list(filled.here.plan.cells)
    assert [e.label for e in evidence] == ["debian:6.0", "debian:6.1"]
    assert [e.kernel for e in evidence] == list(filled.here.plan.kernels)
    assert counts(evidence) == [(0, 0, 0)] * 2  # what was not tried is not lost


def test_successful_runs_become_measurements_in_the_order_of_their_repeats(filled: Filled) -> None:
    for run in reversed(filled.runs(0)):
        filled.keep(run)
    first, second = filled.collect()
    assert [(m.run, m.repeat, m.perturbation) for m in first.measurements] == [
        (run.id, run.repeat, number) for run, number in zip(filled.runs(0), (0, 0, 1), strict=True)
    ]
    assert (first.failures, first.lost, second.measurements) == ((), 0, ())


def test_a_measurement_holds_the_rounds_of_the_stream(filled: Filled) -> None:
    filled.keep(filled.runs(0)[0])
    (measurement,) = filled.collect()[0].measurements
    phases = {phase.phase: phase for phase in measurement.phases}
    assert measurement.phases == parse(filled.stream).phases
    assert "iteration" in phases and len(phases) > 1
    assert all(len(phase.ticks) == ROUNDS and min(phase.ticks) >= 0 for phase in phases.values())
    assert phases["iteration"].operations == PAGES
    assert measurement.ns_per_tick == 1.0  # the system's clock counts nanoseconds
    assert measurement.region_ns == sum(phases["iteration"].ticks)


def test_a_measurement_holds_the_audit_of_both_moments(filled: Filled) -> None:
    filled.keep(filled.runs(0)[0])
    (measurement,) = filled.collect()[0].measurements
    for fields in (measurement.before, measurement.after):
        assert value(fields, "range.Rss") == str(PAGES * 4)
        assert value(fields, "range.vmas") == "1"
        assert [name for name, _ in fields] == sorted(name for name, _ in fields)
    faults = value(measurement.counters, "pgfault")
    assert faults is not None and int(faults) >= 0


def test_every_requirement_is_checked_against_its_own_moment(filled: Filled) -> None:
    filled.keep(filled.runs(0)[0])
    (measurement,) = filled.collect()[0].measurements
    sides = {"before": dict(measurement.before), "after": dict(measurement.after)}
    assert {checked.requirement.moment for checked in measurement.requirements} == set(sides)
    for checked in measurement.requirements:
        assert checked.found == sides[checked.requirement.moment].get(checked.requirement.field)
        assert checked.holds == (None if checked.found is None else True)


def test_a_requirement_that_does_not_hold_is_kept_as_such(filled: Filled) -> None:
    filled.keep(filled.runs(0)[0], stream=resealed(filled.stream, b"before range.vmas == 1", b"before range.vmas == 7"))
    (measurement,) = filled.collect()[0].measurements
    broken = [c for c in measurement.requirements if c.holds is False]
    assert [(c.requirement.field, c.requirement.value, c.found) for c in broken] == [("range.vmas", "7", "1")]


def test_a_state_that_differs_before_is_found_before_and_not_after(filled: Filled) -> None:
    filled.keep(filled.runs(0)[0], stream=resealed(filled.stream, b" 1024 kB\nPss:", b" 1020 kB\nPss:"))
    (measurement,) = filled.collect()[0].measurements
    found = {c.requirement.moment: (c.found, c.holds) for c in measurement.requirements
             if c.requirement.field == "range.Rss"}  # fmt: skip
    assert found == {"before": ("1020", False), "after": ("1024", True)}


def resealed(stream: bytes, old: bytes, new: bytes) -> bytes:
    """The stream with the first `old` replaced by as many other bytes, and its frame's checksum made right again."""
    at = stream.index(old)
    start = stream.rindex(b"KASSAY ", 0, at)
    first = stream.index(b"\n", start) + 1
    head = stream[start + len(b"KASSAY ") : first - 1].rpartition(b" ")[0]
    payload = bytearray(stream[first : first + int(head.rpartition(b" ")[2])])
    payload[at - first : at - first + len(old)] = new
    crc = zlib.crc32(payload, zlib.crc32(head + b"\n"))
    return stream[:start] + b"KASSAY %s %08x\n" % (head, crc) + payload + stream[first + len(payload) :]


def test_a_failed_run_becomes_a_failure_and_is_lost_once(filled: Filled) -> None:
    run = filled.runs(1)[0]
    failed = [filled.keep(run, "panic"), filled.keep(run, "timeout", attempt=2)]
    first, second = filled.collect()
    assert second.failures == tuple(failed)
    assert counts((first, second)) == [(0, 0, 0), (0, 2, 1)]


def test_a_run_that_succeeds_when_repeated_is_not_lost_and_its_failure_is_kept(filled: Filled) -> None:
    run = filled.runs(0)[0]
    failed = filled.keep(run, "machine-died")
    filled.keep(run, attempt=2)
    first, _ = filled.collect()
    assert (first.failures, first.lost) == ((failed,), 0)
    assert [m.run for m in first.measurements] == [run.id]


def test_lost_runs_are_counted_beside_good_ones(filled: Filled) -> None:
    plain, other, perturbed = filled.runs(0)
    filled.keep(plain)
    for run in (other, perturbed):
        for attempt in (1, 2):
            filled.keep(run, "torn-output", attempt)
    for run in filled.runs(1)[:2]:
        filled.keep(run)
    assert counts(filled.collect()) == [(1, 4, 2), (2, 0, 0)]


def test_a_stream_that_is_missing_is_refused_and_not_left_out(filled: Filled) -> None:
    record = filled.keep(filled.runs(0)[0])
    assert record.stream_sha256 is not None
    next((filled.here.path / "artifacts").rglob("*.zst")).unlink()
    with pytest.raises(BadInput, match="missing, though the journal names it"):
        filled.collect()


def test_failures_of_control_boots_stand_apart(tmp_path: Path, stream: bytes) -> None:
    here = started(tmp_path, plan_of(2, clock="kvm", repeats=6, perturb=0))
    open_journal(here.journal, here.plan_id)
    filled = Filled(here, stream)
    controls = [run for run in filled.runs(0) if run.control]
    plain = next(run for run in filled.runs(0) if not run.control)
    filled.keep(plain)
    filled.keep(controls[0])
    failed = [filled.keep(run, "panic") for run in (controls[1], plain)]
    first, second = filled.collect()
    assert (first.control_failures, first.failures) == ((failed[0],), (failed[1],))
    assert (second.control_failures, second.failures) == ((), ())


def test_a_long_reading_says_how_far_it_is(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect_module, "_QUIET_S", -1.0)
    for run in filled.runs(0)[:2]:
        filled.keep(run)
    filled.keep(filled.runs(1)[0], "panic")
    told: list[Progress] = []
    collect(filled.here, read_journal(filled.here.journal), told.append)
    assert [(one.subject, one.done) for one in told] == [("1/2", 0.5), ("2/2", 1.0)]
