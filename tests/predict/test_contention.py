# SPDX-License-Identifier: GPL-2.0-only
"""Names and sharers of locks, what a CPU repeats, curves with their bends, refusals, and the report."""

from pathlib import Path

import pytest
from msgspec import structs
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput
from kassay.journal.directory import started
from kassay.labs.predict.contention.loads import Chosen, Guest, lock_uses, on_large_machine, sequenced, threshold
from kassay.labs.predict.contention.names import (
    CPU,
    LINE,
    NODE,
    OWN,
    PROCESS,
    READER,
    SPIN,
    SYSTEM,
    WRITER,
    discipline_of,
    rule_of,
)
from kassay.labs.predict.contention.queues import GIVE, TAKE, TOUCH
from kassay.labs.predict.contention.scale import Wanted, bend_of, check_counts, counts_from, curve
from kassay.labs.predict.contention.scale_model import PROCESSES, THREADS, Scaled, ScalePoint, ScaleReport, Waiting
from kassay.labs.predict.contention.scale_report import PUBLISHED_ERROR, SCALE, document, moved
from kassay.labs.predict.contention.watched import KernelLock, Use, Uses, _Code, _seen, uses_of
from kassay.labs.predict.core import Watched
from kassay.labs.predict.timing import timing_for
from kassay.report.document import Paragraph
from tests.analysis.plans import plan_of
from tests.predict.traces import recorded
from tests.source import ROOT

pytestmark = pytest.mark.slow  # seconds for the whole file


@pytest.mark.parametrize(("taker", "caller", "name", "sharers"), [
    ("_raw_spin_lock_irqsave", "folio_lruvec_lock_irqsave", "lruvec lock", NODE),
    ("_raw_spin_lock_irqsave", "rmqueue_bulk", "zone lock", NODE),
    ("_raw_spin_lock_irqsave", "free_one_page", "zone lock", NODE),
    ("_raw_spin_trylock", "get_page_from_freelist", "PCP lock", CPU),
    ("_raw_spin_lock", "__pte_offset_map_lock", "page table lock", OWN),
    ("down_write_killable", "vm_mmap_pgoff", "mmap_lock", PROCESS),
    ("down_write_killable", "do_mprotect_pkey", "mmap_lock", PROCESS),
    ("down_write", "mprotect_fixup", "VMA lock", OWN),
    ("down_read_trylock", "lock_vma_under_rcu", "VMA lock", OWN),
    ("_raw_spin_lock", "alloc_fd", "files->file_lock", PROCESS),
    ("mutex_lock", "some_driver", None, None),
])  # fmt: skip
def test_a_lock_is_known_by_the_function_that_takes_it(
    taker: str, caller: str, name: str | None, sharers: str | None
) -> None:
    rule = rule_of(discipline_of(taker), taker, caller)
    assert (rule.name, rule.sharers) == (name, sharers) if rule else name is None


def test_an_inlined_spinlock_is_known_by_the_function_that_it_is_in() -> None:
    found = [rule_of(SPIN, "", caller) for caller in ("free_unref_page", "rmqueue_bulk", "alloc_fd", "timekeeping")]
    assert [rule and rule.name for rule in found] == ["PCP lock", "zone lock", "files->file_lock", None]
    seen = _seen(_watched(begin=10, end=20), _code("alloc_fd"), ["caller"])
    assert (seen.discipline, seen.caller) == (SPIN, "alloc_fd")
    never_released = _seen(_watched(begin=10, end=0), _code("alloc_fd"), ["caller"])
    assert (never_released.discipline, never_released.at.held) == (LINE, False)
    out_of_line = _seen(_watched(begin=10, end=20), _code("_raw_spin_lock"), ["caller"])
    assert (out_of_line.taker, out_of_line.caller) == ("_raw_spin_lock", "caller")


def _watched(*, begin: int, end: int) -> Watched:
    return Watched(
        held=True, round=1, interval=0, begin=begin, end=end, block=0, index=0, function_before=0, address=64,
        loads=0, stores=0,
    )  # fmt: skip


def _code(function: str) -> _Code:
    code = _Code.__new__(_Code)
    code.functions = {0: function}
    return code


def test_disciplines() -> None:
    found = [
        discipline_of(name) for name in ("_raw_spin_lock_irq", "down_read", "down_write", "mutex_unlock", "schedule")
    ]
    assert found == [SPIN, READER, WRITER, "", ""]


def test_a_stored_trace_has_its_locks() -> None:
    """mprotect() of 16 pages to read-only and back: mmap_lock, page table lock and pages, and nothing shared."""
    uses = uses_of(recorded("6.17"), timing_for("zen4"), lambda address: "change_pte_range")
    assert {use.lock.sharers for use in uses.uses} <= {OWN}
    assert len(uses.uses) > 16 and not uses.open and not uses.slow


LRU, MMAP = KernelLock("lruvec lock", NODE, 64, True), KernelLock("mmap_lock", PROCESS, 128, True)
STAT = KernelLock("counters of a node", NODE, 256, True)


def use(lock: KernelLock, begin: int, end: int, discipline: str = SPIN, number: int = 2) -> Use:
    return Use(lock, discipline, number, 0, begin, end, 1, 0)


USES = Uses(
    (use(LRU, 1000, 1100), use(MMAP, 1200, 1300, WRITER), use(LRU, 1250, 1260), use(STAT, 1400, 1400, LINE),
     use(LRU, 5000, 5050, number=4)),
    {(2, 0): 600.0, (4, 0): 400.0}, (), {}, 0.0,
)  # fmt: skip
CHOSEN = Chosen((2, 4), range(1), 10, 1000 * 500.0)
"""Two rounds of 1000 cycles together, in 500 ns."""


def test_what_a_cpu_repeats_has_the_holds_and_thinks_of_the_trace() -> None:
    alone = sequenced(USES, CHOSEN, PROCESSES)
    assert [(action.kind, action.delay // 1000) for action in alone.load.actions] == [
        (TAKE, 0), (GIVE, 50), (TAKE, 75), (GIVE, 5), (TOUCH, 70), (TAKE, 100), (GIVE, 25),
    ]  # fmt: skip
    assert alone.load.length == 500_000
    assert alone.names == ("lruvec lock", "counters of a node")
    threads = sequenced(USES, CHOSEN, THREADS)
    assert [action.lock for action in threads.load.actions] == [0, 0, 1, 0, 0, 1, 2, 0, 0]
    assert threads.load.sharers == (NODE, SYSTEM, NODE)


def test_locks_are_counted_by_operation() -> None:
    first, *others = lock_uses(USES, CHOSEN)
    assert (first.name, first.takes, first.lines) == ("lruvec lock", 0.3, 1)
    assert first.held == pytest.approx(0.16) and first.hold_ns == pytest.approx(160 / 3 / 2)
    assert {one.name for one in others} == {"mmap_lock", "counters of a node"}


def test_counters_of_a_node_are_written_more_seldom_on_a_large_machine() -> None:
    assert threshold(1, 1 << 30) == 10 and threshold(104, 64 << 30) == 125
    many = tuple(use(STAT, 1000 + n, 1000 + n, LINE) for n in range(50))
    sequence = sequenced(USES._replace(uses=many), CHOSEN, PROCESSES)
    few = on_large_machine(sequence, Guest(1, 1 << 30), 104)
    assert len(few.actions) == 4 and few.length == sequence.load.length


def test_a_range_of_cpus_has_its_ends_and_whole_groups() -> None:
    timings = {"zen3": timing_for("zen3")}
    assert counts_from("4,1,2", timings) == (1, 2, 4)
    counts = counts_from("1..100", timings)
    assert counts[0] == 1 and counts[-1] == 100 and {8, 16, 24, 64} <= set(counts) and len(counts) < 24
    for wrong in ("0", "x", "4..1", ""):
        with pytest.raises(BadInput, match="not numbers of CPUs"):
            counts_from(wrong, timings)


def test_a_cpu_without_line_transfers_and_too_many_cpus_are_refused() -> None:
    zen3 = timing_for("zen3")
    with pytest.raises(BadInput, match="has 128 CPUs"):
        check_counts({"zen3": zen3}, (1, 129))
    with pytest.raises(BadInput, match=r"no \[\[lines\]\]"):
        check_counts({"x": structs.replace(zen3, lines=())}, (1,))


NOTHING = Scaled(
    kernel="a", workload="w", settings=(), metric="fault", operation="page", cpu="skylake_sp", calibrated=False,
    one_ns=50.0,
)  # fmt: skip
WANTED = Wanted((1, 2, 4, 8, 16, 28), PROCESSES, ())


def test_a_curve_bends_where_its_lock_is_always_held() -> None:
    found = curve(USES, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED, NOTHING)
    assert [point.cpus for point in found.points] == [1, 2, 4, 8, 16, 28]
    assert found.points[0].speedup == pytest.approx(1, rel=1e-3)
    assert found.points[0].per_second == pytest.approx(20e6, rel=1e-3)
    assert found.bend == 2 and found.bend_lock == "lruvec lock"
    for point in found.points:
        assert point.interval[0] <= point.speedup <= point.interval[1]
    assert found == curve(USES, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED, NOTHING)


def test_a_function_that_takes_no_lock_shares_none() -> None:
    uses, wanted = USES._replace(callers=frozenset(["alloc_fd"])), WANTED._replace(shared=("alloc_fd", "aloc_fd"))
    found = curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), wanted, NOTHING)
    assert found.doubts == ("aloc_fd() takes no lock in the trace: --scale-shared aloc_fd changes nothing",)


def sentence(answer: Scaled) -> str:
    """First sentence of the document."""
    report = ScaleReport(scale_as=PROCESSES, shared=(), answers=(answer,), kassay_version="1")
    first = document(report).blocks[0]
    assert isinstance(first, Paragraph)
    return first.text


def test_a_bend_is_found_as_seen_from_one_cpu_whatever_is_asked_for() -> None:
    def asked(*counts: int) -> Scaled:
        wanted = WANTED._replace(counts=counts)
        return curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), wanted, NOTHING)

    system = KernelLock("x", SYSTEM, 64, True)
    uses = USES._replace(uses=(use(system, 1000, 1550), use(system, 5000, 5350, number=4)))
    whole = asked(1, 8, 9)
    assert whole.bend == 8 and whole.peak == 1 and whole.points[1].speedup < 1
    for counts in ((8,), (8, 9)):
        found = asked(*counts)
        assert [point.cpus for point in found.points] == list(counts)
        assert (found.bend, found.bend_lock, found.peak) == (whole.bend, whole.bend_lock, whole.peak)
        text = sentence(found)
        assert "the curve bends at 8 CPUs, by the x" in text and "The most is at 1 CPU." in text
    assert "1 CPU does the work of 1 [1, 1]. More CPUs" in sentence(asked(1)) and "not bend" not in sentence(asked(1))


def test_a_peak_is_told_if_more_cpus_have_less() -> None:
    system = KernelLock("x", SYSTEM, 64, True)
    uses = USES._replace(uses=(use(system, 1000, 1300), use(system, 5000, 5050, number=4)))
    wanted = WANTED._replace(counts=(1, 28, 56))
    found = curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), wanted, NOTHING)
    assert found.points[2].speedup < found.points[1].speedup and found.peak in (1, 28)
    level = curve(
        uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED._replace(counts=(1, 14, 28)), NOTHING
    )
    assert level.points[2].speedup == pytest.approx(level.points[1].speedup, rel=0.02) and level.peak != 14


def test_a_task_that_waits_for_others_has_no_curve() -> None:
    def problem(uses: Uses) -> str:
        return curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED, NOTHING).problem

    assert "waited for locks itself (osq_lock)" in problem(USES._replace(slow=("osq_lock",)))
    assert "executed 40%" in problem(USES._replace(elsewhere=0.4))
    assert problem(USES._replace(elsewhere=0.01)) == ""


def test_locks_that_are_taken_both_ways_round_have_no_curve() -> None:
    a, b = (KernelLock(name, SYSTEM, address, True) for name, address in (("a lock", 64), ("b lock", 128)))
    uses = USES._replace(uses=(use(a, 1000, 1200), use(b, 1100, 1190), use(b, 1300, 1500), use(a, 1400, 1490)))
    found = curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED, NOTHING)
    assert not found.points and found.bend is None
    assert "the traced order of locks cannot be repeated" in found.problem and "a lock and b lock" in found.problem
    assert "no curve: the traced order" in sentence(found)


def test_readers_that_would_sleep_are_marked() -> None:
    rwsem = KernelLock("x", SYSTEM, 64, True)
    uses = USES._replace(uses=(use(rwsem, 1000, 1200, WRITER), use(rwsem, 1300, 1500, READER)))
    found = curve(uses, CHOSEN, timing_for("skylake_sp"), Guest(1, 1 << 30), WANTED, NOTHING)
    assert "They sleep" in found.points[-1].problem and not found.points[0].problem
    assert found.bend is None or found.bend <= found.sound[-1].cpus


def point(cpus: int, speedup: float, **waiting: float) -> ScalePoint:
    shares = tuple(Waiting(lock=lock.replace("_", " "), share=share) for lock, share in waiting.items())
    return ScalePoint(cpus=cpus, speedup=speedup, interval=(speedup, speedup), per_second=speedup, waiting=shares)


@pytest.mark.parametrize(("operation", "column"), [("page", "pages/s"), ("process", "processes/s")])
def test_a_rate_is_that_of_operations(operation: str, column: str) -> None:
    answer = structs.replace(NOTHING, operation=operation, points=(point(1, 1),))
    report = ScaleReport(scale_as=PROCESSES, shared=(), answers=(answer,), kassay_version="1")
    assert f"'{column}'" in repr(document(report))


def test_the_bend_is_where_a_further_cpu_brings_less_than_half() -> None:
    assert bend_of((point(1, 1), point(2, 1.9), point(4, 3), point(8, 4.9, lru=0.3))) == (8, "lru")
    assert bend_of((point(1, 1), point(2, 1.9))) == (None, "")


def test_what_a_change_moves_is_told_for_each_lock() -> None:
    base = structs.replace(
        NOTHING, kernel="base", points=(point(104, 90, lruvec_lock=0.027, zone_lock=0.001),), bend=None
    )
    head = structs.replace(NOTHING, kernel="head", points=(point(104, 80, lruvec_lock=0.068),), bend=104)
    assert list(moved(base, head, "w, skylake_sp, base to head")) == [
        "w, skylake_sp, base to head: waiting for the lruvec lock from 2.7% to 6.8% of the time at 104 CPUs."
    ]
    lost = structs.replace(NOTHING, kernel="lost", problem="no trace")
    report = ScaleReport(scale_as=THREADS, shared=("f",), answers=(base, head, lost), kassay_version="0")
    shown = SCALE.form("markdown").render(report)
    assert f"missed by {PUBLISHED_ERROR} in the median" in shown
    assert "104 CPUs do the work of 90" in shown and "The curve does not bend." in shown
    assert "on lost, skylake_sp: no curve: no trace." in shown
    assert (
        "w, skylake_sp, base to head: waiting for the lruvec lock from 2.7% to 6.8%" in shown
        and "threads of one process" in shown
        and "--scale-shared says" in shown
    )


def test_figures_that_do_not_hold_decide_nothing() -> None:
    few, some = point(1, 1), point(2, 1.9, mmap_lock=0.02)
    most = structs.replace(point(64, 3, mmap_lock=0.3), problem="They sleep")
    base = structs.replace(NOTHING, kernel="base", points=(few, some, most))
    head = structs.replace(
        base, kernel="head", points=(few, point(2, 1.8, mmap_lock=0.05), point(64, 2, mmap_lock=0.4))
    )
    assert [text.partition(": ")[2] for text in moved(base, head, "w")] == [
        "waiting for the mmap lock from 2.0% to 5.0% of the time at 2 CPUs."
    ]
    none = structs.replace(base, kernel="none", points=(most,))
    assert list(moved(none, head, "w")) == []
    report = ScaleReport(scale_as=THREADS, shared=(), answers=(base, none), kassay_version="0")
    shown = SCALE.form("markdown").render(report)
    assert "2 CPUs do the work of 1.9 " in shown and "The curve does not bend up to 2 CPUs." in shown
    assert "64 CPUs do the work" not in shown and "the figures do not hold at any number of CPUs." in shown
    rows = [line.split("|") for line in shown.splitlines() if line.startswith("| ")]
    held = {(row[1].strip(), row[-2].strip()) for row in rows if row[1].strip().isdigit()}
    assert held == {("1", "yes"), ("2", "yes"), ("64", "no")}


def test_a_directory_without_traces_and_two_questions_at_once_are_refused(tmp_path: Path) -> None:
    started(tmp_path / "runs", plan_of(2))

    def error(*words: str) -> str:
        return str(CliRunner().invoke(build_app(), ["predict", str(tmp_path / "runs"), *words]).exception)

    assert "was not made with --predict" in error("--scale", "1..8")
    assert "--without: does nothing with --scale" in error("--scale", "1..8", "--without", "walk")
    for option, value in (("--scale-as", "threads"), ("--scale-shared", "walk")):
        assert f"{option}: belongs to --scale, which is not given" in error(option, value)
    assert "not a way to scale" in error("--scale", "1..8", "--scale-as", "cores")


def test_every_curve_is_shown_with_the_error_of_published_ones() -> None:
    page = (ROOT / "docs" / "results" / "contention.md").read_text("utf-8")
    assert f"median difference {PUBLISHED_ERROR}." in page
