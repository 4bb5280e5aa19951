# SPDX-License-Identifier: GPL-2.0-only
"""A program that did other work gets no verdict, and the cost of one call; one that did the same work is admitted."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from kassay.analysis.analyse import refusals_of
from kassay.analysis.call_costs import call_costs
from kassay.analysis.own_work import own_spreads, work_summary
from kassay.model.reason_texts import reason_text
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import CallResult, Work
from kassay.report.sections.programs import calls_text
from kassay.report.sentences import compare_sentence
from tests.analysis.sides import evidence, measurement
from tests.analysis.works import ADAPTIVE, CALL, FEWER, LOOKUP, PAGE_FAULT, USER, Items, changed, did, kernels, two


def test_a_program_that_adapts_to_the_clock_gets_no_verdict_but_the_cost_of_one_call() -> None:
    finding = two(*kernels(ADAPTIVE, FEWER))
    assert finding.verdict == "different-work"
    assert [(d.moment, d.field, d.base, d.head) for d in finding.differences] == [
        ("during", "page fault", "1300", "1044"), ("during", "madvise()", "5", "4"),
        ("during", "user code", "20000", "18900"),
    ]  # fmt: skip
    text = reason_text(finding.reasons[0])
    assert "madvise() 5 on 6.12, 4 on 7.3 per round" in text and "reads a clock (6 per round)" in text
    fault, madvise = finding.calls
    assert (fault.name, round(fault.base, 1), round(fault.head, 1)) == ("page fault", 3076.9, 3352.5)
    assert (madvise.base, madvise.head, madvise.base_times, madvise.head_times) == (100_000, 120_000, 5, 4)
    assert (madvise.verdict, madvise.evidence, round(madvise.change, 3)) == ("regression", "partial", 0.2)
    sentence = compare_sentence("Running prog", finding, "6.12", "7.3")
    assert sentence.startswith("No verdict on running prog (different-work): the program did different work: madvise()")
    assert "Per page fault: 3 076.9 to 3 352.5 instructions from 6.12 to 7.3" in sentence
    assert "improvement" not in sentence


def test_the_same_work_is_admitted_whatever_it_costs() -> None:
    slower = {key: (times, 2 * count) for key, (times, count) in ADAPTIVE.items()}
    finding = two(*kernels(ADAPTIVE, slower))
    assert (finding.verdict, calls_text(finding, "a", "b")) == ("regression", "")
    assert [(cost.name, cost.change) for cost in finding.calls] == [("page fault", 1.0), ("madvise", 1.0)]


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        (changed(ADAPTIVE, fault=(900, 2_800_000)), "improvement"),  # the kernel maps more pages per fault
        (changed(ADAPTIVE, fault=(900, 2_800_000), user=(19_200, 0)), "different-work"),  # fewer pages touched
        (changed(ADAPTIVE, fault=(1303, 4_009_000), user=(20_030, 0)), "equivalent"),  # faults of its start
        (changed(ADAPTIVE, write=(1, 9_000)), "equivalent"),  # one more call that carries 0.2 %
        (changed(ADAPTIVE, write=(2, 18_000)), "different-work"),
        (changed(ADAPTIVE, user=(60_000, 0)), "different-work"),
        (changed(ADAPTIVE, clone=(1, 90_000)), "different-work"),
        (changed(ADAPTIVE, rt_sigreturn=(30, 60_000)), "different-work"),
    ],
)
def test_work_that_carries_cost_refuses_and_other_work_does_not(head: Items, verdict: str) -> None:
    assert two(*kernels(ADAPTIVE, head)).verdict == verdict


@pytest.mark.parametrize(
    ("faults", "user", "verdict"),
    [
        (48, 13_985, "different-work"),  # 32 pages less at 4 instructions each, hidden by 114 of the vDSO's names
        (100, 14_115, "regression"),  # 20 children that each take a fault more on this kernel
        (100, 14_195, "different-work"),
    ],
)
def test_vdso_lookup_is_not_counted_as_work(faults: int, user: int, verdict: str) -> None:
    base: Items = {(CALL, "execve"): (1, 300_000), (PAGE_FAULT, "page fault"): (80, 340_000), (USER, ""): (14_001, 0),
                   (LOOKUP, ""): (3385, 0)}  # fmt: skip
    head = {**changed(base, fault=(faults, 4250 * faults), user=(user, 0)), (LOOKUP, ""): (3499, 0)}
    assert two(*kernels(base, head)).verdict == verdict


def test_work_in_which_runs_of_one_kernel_differ_as_much_is_not_compared_and_is_a_doubt() -> None:
    more = changed(ADAPTIVE, futex=(20, 200_000))
    base = evidence("6.12", did(ADAPTIVE), did(ADAPTIVE, repeat=1), did(more, repeat=2, perturbation=1))
    head = evidence("7.3", did(more), did(more, repeat=1), did(ADAPTIVE, repeat=2, perturbation=1), index=1)
    assert refusals_of(base, head) == ()
    finding = two(base, head)
    doubts = [reason for reason in finding.reasons if reason.code == "work-varies"]
    assert finding.evidence == "partial" and [doubt["what"] for doubt in doubts] == ["futex()", "futex()"]


def test_a_change_smaller_than_the_work_in_which_runs_of_one_kernel_differ_gets_no_verdict() -> None:
    """A program doubles its rounds until 1 ms has passed; plain runs agree, and a perturbed run makes twice as many."""
    slower = {key: (times, round(1.02 * count)) for key, (times, count) in ADAPTIVE.items()}
    twice = {key: (2 * times, 2 * count) for key, (times, count) in slower.items()}
    base = evidence("6.12", did(ADAPTIVE), did(ADAPTIVE, repeat=1), did(ADAPTIVE, repeat=2, perturbation=1))
    head = evidence("7.3", did(slower), did(slower, repeat=1), did(twice, repeat=2, perturbation=1), index=1)
    finding = two(base, head)
    (why,) = finding.reasons
    assert (finding.verdict, why.code, why.kernel) == ("different-work", "work-by-chance", "7.3")
    assert "page fault 1300 to 2600 per round" in reason_text(why) and "differ by +2.0%" in reason_text(why)
    assert {(d.field, d.base, d.head) for d in finding.differences} >= {("madvise()", "-", "5 to 10")}
    assert [(cost.name, cost.verdict) for cost in finding.calls] == [
        ("page fault", "regression"),
        ("madvise", "regression"),
    ]
    far = {key: (times, 3 * count) for key, (times, count) in twice.items()}
    clear = evidence("7.3", did(far), did(far, repeat=1), did(far, repeat=2, perturbation=1), index=1)
    assert refusals_of(clear, clear) == ()


@pytest.mark.parametrize(
    ("varies", "verdict"), [(8_000, "regression"), (15_000, "regression"), (40_000, "inconclusive")]
)
def test_a_change_inside_the_margin_without_the_work_that_varies_is_no_verdict(varies: int, verdict: str) -> None:
    """The runs of one kernel differ by 0.18, 0.33 and 0.88 % in their own code, and the kernels by 1.4 %."""
    slower = changed(ADAPTIVE, madvise=(5, 563_000))
    sides = []
    for items in (ADAPTIVE, slower):
        times, _ = items[USER, ""]
        more = changed(items, user=(times + varies, 0))
        sides.append([did(items), did(items, repeat=1), did(more, repeat=2, perturbation=1)])
    finding = two(evidence("6.12", *sides[0]), evidence("7.3", *sides[1], index=1))
    assert finding.verdict == verdict
    assert any(reason.code == "change-by-chance" for reason in finding.reasons) == (verdict == "inconclusive")


@pytest.mark.parametrize(("forks", "doubt"), [(21, False), (2, True)])
def test_a_page_of_stack_more_in_each_child_is_no_other_work(forks: int, doubt: bool) -> None:
    """Perturbed runs move the stack; 21 faults more carry 1.3 % here."""
    items = changed(ADAPTIVE, clone=(forks, 100_000))
    more = changed(items, fault=(1321, 4_064_615))
    runs = [did(items), did(items, repeat=1), did(more, repeat=2, perturbation=1)]
    assert bool(own_spreads(evidence("6.12", *runs))) == doubt


@pytest.mark.parametrize(("starts", "more", "doubt"), [(1, 1, False), (6, 6, False), (1, 6, True)])
def test_a_page_more_under_a_moved_stack_is_no_doubt(starts: int, more: int, doubt: bool) -> None:
    small: Items = {(CALL, "execve"): (starts, 300_000), (PAGE_FAULT, "page fault"): (22, 130_000),
                    (USER, ""): (12_000, 0)}  # fmt: skip
    moved = changed(small, fault=(22 + more, 130_000 + 6000 * more), user=(12_500, 0))
    runs = [did(small), did(small, repeat=1), did(moved, repeat=2, perturbation=1)]
    finding = two(evidence("6.12", *runs), evidence("7.3", *runs, index=1))
    assert ({"work-varies", "work-by-chance"} & {why.code for why in finding.reasons} != set()) is doubt


@pytest.mark.parametrize(
    ("threads", "calls", "verdict"), [(2, 2, "equivalent"), (2, 3, "different-work"), (0, 1, "different-work")]
)
def test_a_join_that_waits_or_not_is_a_turn_of_the_scheduler(threads: int, calls: int, verdict: str) -> None:
    base = changed(ADAPTIVE, clone3=(threads, 20_000))
    finding = two(*kernels(base, changed(base, futex=(calls, 12_000 * calls))))
    assert finding.verdict == verdict


def test_results_of_children_and_threads_are_compared_where_all_were_seen() -> None:
    def forked(total: int, *, seen: bool = True, failed: int = 0) -> list[Measurement]:
        errors = (CallResult(name="mmap", error="EINVAL", times=failed),) if failed else ()
        results = (CallResult(name="mmap", times=2, total=total), *errors)
        runs = [did(changed(ADAPTIVE, mmap=(2, 900_000)), results=(), repeat=n, perturbation=n // 2) for n in range(3)]
        works = [run.work for run in runs]
        return [
            structs.replace(run, work=structs.replace(work, other_results=results if seen else None))
            for run, work in zip(runs, works, strict=True) if work is not None
        ]  # fmt: skip

    base = evidence("6.12", *forked(2_043_904))
    (refusal,) = refusals_of(base, evidence("7.3", *forked(1_839_104), index=1))
    (found,) = refusal.differences
    assert found.field == "mmap() bytes of its children and threads" and found.head == "1839104"
    assert refusals_of(base, evidence("7.3", *forked(1_839_104, seen=False), index=1)) == ()
    (refusal,) = refusals_of(base, evidence("7.3", *forked(2_043_904, failed=2), index=1))
    assert [d.field for d in refusal.differences] == ["mmap() of its children and threads that failed with EINVAL"]
    assert refusals_of(base, evidence("7.3", *forked(2_043_904), index=1)) == ()


def test_lengths_that_adapt_are_other_work_although_perturbed_runs_have_others() -> None:
    def mapped(total: int, repeat: int = 0) -> Measurement:
        results = [CallResult(name="mmap", times=2, total=total)]
        return did(changed(ADAPTIVE, mmap=(2, 900_000)), results=results, repeat=repeat, perturbation=int(repeat > 1))

    base = evidence("6.12", mapped(3_182_592), mapped(3_182_592, 1), mapped(3_182_592, 2))
    head = evidence("7.3", mapped(2_793_472), mapped(2_793_472, 1), mapped(2_777_088, 2), index=1)
    (refusal,) = refusals_of(base, head)
    assert [(d.field, d.base, d.head) for d in refusal.differences] == [("mmap() bytes", "3182592", "2793472")]
    near = evidence("7.3", mapped(3_170_304), mapped(3_170_304, 1), mapped(3_190_784, 2), index=1)
    assert refusals_of(base, near) == ()


def test_calls_that_fail_on_one_kernel_only_are_other_work() -> None:
    failed = [CallResult(name="madvise", error="EINVAL", times=5)]
    worked = [CallResult(name="madvise", times=5)]
    base, head = (
        evidence("6.12", did(ADAPTIVE, results=failed)),
        evidence("7.3", did(ADAPTIVE, results=worked), index=1),
    )
    (refusal,) = refusals_of(base, head)
    assert [(d.field, d.base, d.head) for d in refusal.differences] == [("madvise() that failed with EINVAL", "5", "0")]


def test_in_a_region_the_results_of_one_call_are_compared() -> None:
    """Results are those of a whole execution, which may have another number of calls outside of the region."""

    def region(times: int, length: int, error: str = "") -> Measurement:
        results = [CallResult(name="madvise", error=error, times=times, total=times * length)]
        run = did(changed(ADAPTIVE, madvise=(1, 500_000)), results=results)
        assert run.work is not None
        return structs.replace(run, work=structs.replace(run.work, region=True))

    base = evidence("6.12", region(5, 4096))
    assert refusals_of(base, evidence("7.3", region(4, 4096), index=1)) == ()
    (shorter,) = refusals_of(base, evidence("7.3", region(4, 2048), index=1))
    assert [(d.field, d.base, d.head) for d in shorter.differences] == [("madvise() bytes", "4096", "2048")]
    (failing,) = refusals_of(base, evidence("7.3", region(4, 0, "EINVAL"), index=1))
    assert failing.differences[0].field == "madvise() that failed with EINVAL"


def test_bytes_count_by_what_the_call_carries() -> None:
    def read(total: int, cost: int) -> Measurement:
        return did(changed(ADAPTIVE, read=(8, cost)), results=[CallResult(name="read", times=8, total=total)])

    cheap = refusals_of(evidence("6.12", read(4096, 9_000)), evidence("7.3", read(2048, 9_000), index=1))
    dear = refusals_of(evidence("6.12", read(4096, 90_000)), evidence("7.3", read(2048, 90_000), index=1))
    assert (cheap, dear[0].differences[0].field) == ((), "read() bytes")


def test_items_count_as_bytes_do() -> None:
    def sent(total: int) -> Measurement:
        results = [CallResult(name="sendmmsg", times=20, total=total)]
        return did(changed(ADAPTIVE, sendmmsg=(20, 90_000)), results=results)

    (refusal,) = refusals_of(evidence("6.12", sent(80)), evidence("7.3", sent(160), index=1))
    assert [(d.field, d.base, d.head) for d in refusal.differences] == [("sendmmsg() items", "80", "160")]


def test_one_long_call_among_many_short_ones_counts_by_its_length() -> None:
    """The number of calls differs by 0.1 %, what they were asked to do by 100 %."""
    short = did(changed(ADAPTIVE, mmap=(1000, 900_000)), results=[CallResult(name="mmap", times=1000, total=4_096_000)])
    longer = did(
        changed(ADAPTIVE, mmap=(1001, 901_000)), results=[CallResult(name="mmap", times=1001, total=8_192_000)]
    )
    (refusal,) = refusals_of(evidence("6.12", short), evidence("7.3", longer, index=1))
    assert [(d.field, d.base, d.head) for d in refusal.differences] == [("mmap() bytes", "4096000", "8192000")]


def test_advice_that_decides_about_faults_makes_them_the_programs() -> None:
    """Fewer faults with the same code are the kernel's work, unless a call that is cheap asked for them."""

    def advised(kind: str, faults: int, calls: int = 1) -> Measurement:
        results = [CallResult(name="madvise", times=calls, total=4096, kind=kind)]
        items = changed(ADAPTIVE, madvise=(calls, 900 * calls), fault=(faults, 3000 * faults))
        return did(items, results=results)

    base = evidence("6.12", advised("0xf", 1300))
    assert refusals_of(base, evidence("7.3", advised("0xf", 700), index=1)) == ()
    (refusal,) = refusals_of(base, evidence("7.3", advised("0xe", 700), index=1))
    assert "page fault" in [d.field for d in refusal.differences]
    (refusal,) = refusals_of(base, evidence("7.3", advised("0xf", 700, calls=2), index=1))
    assert refusal.differences[0].field == "page fault"


def test_calls_of_another_kind_are_other_work() -> None:
    def freed(kind: str) -> Measurement:
        return did(ADAPTIVE, results=[CallResult(name="madvise", times=5, total=4096, kind=kind)])

    (refusal,) = refusals_of(evidence("6.12", freed("0x4")), evidence("7.3", freed("0x8"), index=1))
    assert [(d.field, d.base, d.head) for d in refusal.differences] == [("madvise() of kind 0x4", "5", "0")]


def test_a_program_without_call_stacks_is_a_doubt_and_a_workload_of_kassays_is_not() -> None:
    unknown = structs.replace(measurement([100]), work=Work(phase="iteration", items=()))
    base, head = evidence("6.12", unknown), evidence("7.3", unknown, index=1)
    finding = two(base, head)
    assert finding.verdict == "equivalent" and {"work-not-known"} <= {why.code for why in finding.reasons}
    plain = two(evidence("6.12", measurement([100])), evidence("7.3", measurement([100]), index=1))
    assert "work-not-known" not in {why.code for why in plain.reasons}
    assert work_summary((plain,), (evidence("6.12", measurement([100])),)) is None


def test_a_reader_is_told_what_was_compared() -> None:
    base, head = kernels(ADAPTIVE, changed(ADAPTIVE, write=(1, 9_000)))
    text = reason_text(work_summary((two(base, head),), (base, head)) or pytest.fail("nothing is said"))
    assert (
        "the same on all kernels" in text
        and "value that may differ: 0.2 %" in text
        and "reads a clock (6 per round)" in text
    )
    finding = two(*kernels(ADAPTIVE, FEWER))
    assert work_summary((finding,), kernels(ADAPTIVE, FEWER)) == finding.reasons[0]


def divided(
    items: Items, operations: int, perturbation: int = 0, repeat: int = 0, results: Sequence[CallResult] | None = None
) -> Measurement:
    made = did(items, perturbation=perturbation, repeat=repeat, results=results)
    phases = tuple(structs.replace(p, printed=(operations,) * len(p.ticks), operations=1) for p in made.phases)
    return structs.replace(made, phases=phases)


def printing(ref: str, items: Items, count: int, index: int) -> CellEvidence:
    """A kernel on which a program prints this number of operations."""
    return evidence(ref, divided(items, count), divided(items, count, 0, 1), divided(items, count, 1, 2), index=index)


def test_turns_of_threads_in_the_watched_execution_are_no_work() -> None:
    """Four threads meet at a barrier: as many calls, of which others came too late under ptrace."""
    meets = changed(ADAPTIVE, futex=(400, 2_000_000), clone3=(4, 40_000))
    late = [[CallResult(name="futex", error="EAGAIN", times=times), CallResult(name="futex", times=400 - times)]
            for times in (153, 226)]  # fmt: skip
    sides = [
        evidence(ref, *[did(meets, repeat=n, perturbation=n // 2, others=results) for n in range(3)], index=index)
        for index, (ref, results) in enumerate(zip(("6.12", "7.3"), late, strict=True))
    ]
    assert two(*sides).verdict == "equivalent"


def test_what_carries_most_is_named_and_not_the_start_of_a_program_that_did_fewer_operations() -> None:
    """100 operations and 20: each of the 20 takes 30 faults more, and a larger part of the end."""
    items: Items = {(CALL, "madvise"): (100, 400_000), (CALL, "exit_group"): (1, 10_000), (USER, ""): (90_000, 0),
                    (PAGE_FAULT, "page fault"): (100, 300_000)}  # fmt: skip
    fewer = changed(items, madvise=(20, 80_000), fault=(620, 1_860_000), user=(40_000, 0))
    finding = two(printing("6.12", items, 100, 0), printing("7.3", fewer, 20, 1))
    assert finding.verdict == "different-work" and finding.reasons[0]["what"] == "page fault"
    assert finding.differences[0].field == "page fault"


def test_values_are_divided_by_the_operations_that_a_program_prints() -> None:
    finding = two(printing("6.12", ADAPTIVE, 5, 0), printing("7.3", FEWER, 4, 1))
    assert (finding.base_value, finding.head_value) == (4_520_000 / 5, 3_998_900 / 4)
    assert (finding.verdict, finding.evidence) == ("regression", "exact")


@pytest.mark.parametrize(("start", "verdict"), [(100_000, "regression"), (4_000_000, "different-work")])
def test_work_that_does_not_grow_with_the_operations_is_a_doubt_and_much_of_it_a_refusal(
    start: int, verdict: str
) -> None:
    sides = [printing(ref, changed(items, execve=(1, start)), count, index)
             for index, (ref, items, count) in enumerate((("6.12", ADAPTIVE, 5), ("7.3", FEWER, 4)))]  # fmt: skip
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == (verdict, "partial")
    codes = ["work-not-proportional", "fixed-in-value"] if verdict == "regression" else ["different-work"]
    assert [why.code for why in finding.reasons] == codes
    assert verdict == "regression" or "per operation" in reason_text(finding.reasons[0])


def test_no_cost_of_a_call_without_a_value() -> None:
    base, head = kernels(ADAPTIVE, FEWER)
    finding = two(base, head)
    absent = structs.replace(finding.sides[0], value=None)
    assert call_costs(base, head, (absent, finding.sides[1]), 0.01, None) == ()
