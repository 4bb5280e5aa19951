# SPDX-License-Identifier: GPL-2.0-only
"""The plugin counts exactly what the guest executed, and the guest does not notice."""

from pathlib import Path

import msgspec
import pytest

from kassay import answers, pipeline
from kassay.evidence.collect import collect
from kassay.evidence.profile.functions import profile_of
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profiles import region_of
from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from kassay.model.report import Report
from kassay.model.run import CellEvidence, RunRecord
from kassay.report.formats.lkp import FORMAT
from kassay.report.series import groups
from kassay.report.shares import profile_shares
from kassay.supply.guest import protocol

from .conftest import NEW, OLD, answered, measured, restored

pytestmark = pytest.mark.boot
ITERATIONS, SYSCALLS = 1000, 100
SIZE = {"size": "2MiB"}


def records_of(directory: Path) -> tuple[RunRecord, ...]:
    here = open_directory(directory)
    return read_journal(here.journal, here.plan_id)


def evidence_of(directory: Path) -> tuple[CellEvidence, ...]:
    return collect(open_directory(directory), records_of(directory))


@pytest.fixture(scope="module")
def report(ladder: Path) -> Report:
    """Report of the ladder."""
    return pipeline.answer(ladder)


@pytest.fixture(scope="module")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Known work on two kernels: the first run of a side carries call stacks."""
    directory = tmp_path_factory.mktemp("calibration") / "runs"
    sizes = {"iterations": ITERATIONS, "syscalls": SYSCALLS}
    measured(restored("calibrate", OLD, NEW, settings=sizes, rounds=6), directory)
    return directory


@pytest.fixture(scope="module")
def of_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two kernels whose loads and stores are counted."""
    directory = tmp_path_factory.mktemp("memory") / "runs"
    measured(restored("mprotect_toggle", OLD, NEW, settings=SIZE, profile="memory"), directory)
    return directory


def test_every_run_is_counted_to_the_instruction(ladder: Path) -> None:
    regions = [m.region for item in evidence_of(ladder) for m in item.measurements]
    assert len(regions) == 9
    for region in regions:
        assert region is not None
        assert (region.problem, region.unresolved, region.idle) == ("", 0, 0)
        assert dict(region.counts)["kernel"] > 1_000_000


def test_runs_with_call_stacks_and_with_counts_agree_to_the_digit(ladder: Path, report: Report) -> None:
    modes = {m.region.mode for item in evidence_of(ladder) for m in item.measurements if m.region}
    assert modes == {"stacks", "counts"}
    assert {finding.evidence for finding in report.findings} == {"exact"}


def test_a_run_without_a_profile_has_the_same_digits_and_is_as_valid(of_memory: Path, tmp_path: Path) -> None:
    report = answered(restored("mprotect_toggle", OLD, NEW, settings=SIZE, profile="none"), tmp_path / "bare")
    bare = {item.label: item.measurements[0] for item in evidence_of(tmp_path / "bare")}
    profiled = {item.label: item.measurements[0] for item in evidence_of(of_memory)}
    assert len(bare) == 2
    assert {label: run.phases for label, run in bare.items()} == {label: profiled[label].phases for label in bare}
    findings = report["findings"]
    assert all(finding["verdict"] == "regression" or finding["metric"] == "touch" for finding in findings)
    assert {finding["attribution"] for finding in findings} == {None}
    assert all("no profile" in finding["profile_note"] for finding in findings)


def test_every_difference_is_itemised_and_adds_up(report: Report) -> None:
    findings = report.findings
    assert len(findings) >= 8
    for finding in findings:
        found = finding.attribution
        assert found is not None, finding.profile_note
        assert finding.base_value is not None and finding.head_value is not None
        assert found.unattributed == 0
        assert found.total == pytest.approx(finding.head_value - finding.base_value, abs=1e-9)
        assert sum(row.delta for row in found.rows) == pytest.approx(found.total, abs=1e-9)
        assert sum(row.base for row in found.rows) == pytest.approx(finding.base_value, abs=1e-9)
        assert sum(row.head for row in found.rows) == pytest.approx(finding.head_value, abs=1e-9)


def test_shares_of_the_robots_table_fit_together(report: Report) -> None:
    """Call stacks and functions are counted apart; of each kernel they are the same instructions."""
    found = profile_shares(report, groups(report)[0])
    of = {
        kind: {key.partition(".instructions.")[2]: row for key, row in found.items() if f".{kind}." in key}
        for kind in ("self", "children", "calltrace")
    }
    assert all(len(rows) > 10 for rows in of.values())
    for own in zip(*of["self"].values(), strict=True):
        assert 98 < sum(own) < 100.5  # the smallest functions have no row
    for name, row in of["self"].items():
        assert all(own <= below + 0.01 for own, below in zip(row, of["children"][name], strict=True)), name
    for chain, row in of["calltrace"].items():
        name = next(name for name in of["children"] if f"{chain}.".startswith(f"{name}."))
        assert all(end <= below + 0.01 for end, below in zip(row, of["children"][name], strict=True)), chain


def test_the_kernels_counters_are_in_the_robots_table(report: Report) -> None:
    text = FORMAT.render(report)
    rows = [line.split() for line in text.splitlines()]
    faults = [float(row[0]) for row in rows if "proc-vmstat.pgfault" in row]
    assert faults and min(faults) > 0
    assert any("meminfo.MemFree" in row for row in rows)


def test_the_step_is_named(report: Report) -> None:
    finding = next(f for f in report.findings if f.primary and f.head == NEW and f.base != OLD)
    assert finding.attribution is not None
    deltas = {row.function: row.delta for row in finding.attribution.rows}
    assert deltas["prot_commit_flush_ptes"] > 200
    group = next(group for group in finding.attribution.groups if "change_pte_range" in group.functions)
    assert group.root == "change_protection" and group.delta > 300
    assert "prot_commit_flush_ptes" in finding.attribution.sentence


def test_a_loop_of_known_length_costs_the_same_on_both_kernels(calibration: Path) -> None:
    (loop,) = (finding for finding in pipeline.answer(calibration).findings if finding.metric == "loop")
    expected = int(next(word for word in loop.definition.split() if word.isdigit()))
    assert loop.base_value == loop.head_value == pytest.approx(expected, rel=0.01)
    assert loop.verdict == "equivalent"


def test_known_work_is_counted_as_arithmetic_says(calibration: Path) -> None:
    (loop,) = answers.profiles(calibration, None, "loop")[:1]
    costs = {(cost.function, cost.context): cost for cost in loop.profile.functions}
    spun = costs["counted_loop", "user"]
    assert spun.calls == 1
    # 3 instructions an iteration, and those that set up and leave the function.
    assert 3 * ITERATIONS < spun.instructions <= 3 * ITERATIONS + 8
    assert sum(c.instructions + c.iterations for c in loop.profile.functions) == loop.profile.ticks
    (calls,) = answers.profiles(calibration, None, "syscall")[:1]
    entered = {cost.function: cost.calls for cost in calls.profile.functions if cost.context == "kernel"}
    assert entered["__x64_sys_getppid"] == entered["do_syscall_64"] == SYSCALLS


def test_call_stacks_lead_from_the_program_into_the_kernel(calibration: Path) -> None:
    (calls,) = answers.profiles(calibration, None, "syscall")[:1]
    assert calls.profile.stacks is not None
    path = next(cost.path for cost in calls.profile.stacks if cost.path[-1] == "__x64_sys_getppid")
    places = [path.index(name) for name in ("kernel", "step_calls", "do_syscall_64", "__x64_sys_getppid")]
    assert places == sorted(places)


def test_system_calls_of_known_number_are_entries_of_the_kernel_and_account_for_it(calibration: Path) -> None:
    for one in answers.profiles(calibration, None, "syscall"):
        entries = {(entry.kind, entry.name): entry for entry in one.profile.entries or ()}
        assert entries["system call", "getppid"].times == SYSCALLS
        kernel = [cost for cost in one.profile.functions if cost.context in ("kernel", "interrupt")]
        assert sum(entry.count for entry in entries.values()) == sum(c.instructions + c.iterations for c in kernel)
        body = next(cost for cost in kernel if cost.function == "__x64_sys_getppid")
        assert entries["system call", "getppid"].count >= body.instructions


def test_a_profile_that_is_cut_short_or_not_there_leaves_the_run_valid(ladder: Path, tmp_path: Path) -> None:
    record = next(r for r in records_of(ladder) if r.profile_sha256)
    assert record.stream_sha256 is not None and record.profile_sha256 is not None
    whole = artifacts.get(ladder, record.profile_sha256)
    for cut in (len(whole) // 2, len(whole) - 1, 0):
        torn = msgspec.structs.replace(record, profile_sha256=artifacts.put(ladder, whole[:cut]))
        region = region_of(ladder, torn)
        assert region is not None and region.problem.startswith("line "), cut
    assert region_of(ladder, msgspec.structs.replace(record, profile_sha256=None)) is None


def test_symbols_of_another_kernel_are_refused(ladder: Path) -> None:
    records = [record for record in records_of(ladder) if record.profile_sha256]
    one, other = records[0], next(record for record in records if record.symbols != records[0].symbols)
    assert one.stream_sha256 is not None and one.profile_sha256 is not None
    report = protocol.parse(artifacts.get(ladder, one.stream_sha256))
    raw = parse(artifacts.get(ladder, one.profile_sha256))
    problems = []
    for tables in (one.symbols, other.symbols):
        symbols = Symbols.load([artifacts.get(ladder, name) for name in tables], {})
        problems.append(profile_of(raw, symbols, report, phase="protect", rounds=[3], kernel="", run="").problem)
    assert problems[0] == ""
    assert "the symbol table does not match the image" in problems[1]


def test_two_cpus_are_counted_to_the_instruction(tmp_path: Path) -> None:
    """One CPU may be in the middle of a block when the other ends the phase, or the region."""
    settings = {"size": "1MiB", "tasks": 2}
    asked = restored("page_fault", OLD, settings=settings, cpus=[2], boot="short", rounds=8, repeats=2)
    report = answered(asked, tmp_path / "d")
    (item,) = evidence_of(tmp_path / "d")
    regions = [one.region for one in item.measurements]
    assert [(region.mode, region.problem) for region in regions if region] == [("stacks", ""), ("counts", "")]
    first, second = item.measurements
    assert first.phases == second.phases
    assert {phase.operations for phase in first.phases} == {2 * 256}
    assert {audit["fields"]["cpus.online"] for audit in report["audits"]} == {"0-1"}
    assert {requirement.holds for requirement in first.requirements} == {True}


def test_loads_and_stores_are_counted_on_request(of_memory: Path) -> None:
    touched = answers.profiles(of_memory, None, "touch")[0].profile
    cost = next(one for one in touched.functions if one.function == "memory_write")
    assert (cost.loads, cost.stores) == (1, 512)  # its way back, and a write to each page of 2 MiB
