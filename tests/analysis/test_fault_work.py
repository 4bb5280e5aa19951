# SPDX-License-Identifier: GPL-2.0-only
"""As many page faults that did other things: copies, new page tables, reads in place of writes."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from kassay.analysis.own_work import own_spreads
from kassay.model.finding import Finding
from kassay.model.run import CellEvidence
from kassay.model.work import ALLOCATION, AROUND, IN_CALLS, ON_ANONYMOUS, ON_FILE, ON_PRESENT, CallResult, Found
from tests.analysis.sides import evidence
from tests.analysis.works import CALL, PAGE_FAULT, USER, Items, changed, did, two

TOUCH: Items = {(CALL, "mmap"): (50, 200_000), (PAGE_FAULT, "page fault"): (3000, 9_000_000), (USER, ""): (60_000, 0),
                (ALLOCATION, ""): (3050, 0), (AROUND, ""): (13, 0)}  # fmt: skip


def side(ref: str, items: Items, allocated: int = 0) -> CellEvidence:
    runs = [did(items, repeat=n, perturbation=n // 2) for n in range(3)]
    counters = (("pgalloc_dma32", str(allocated * 3)), ("pgalloc_normal", "0")) if allocated else ()
    return evidence(ref, *(structs.replace(run, counters=counters) for run in runs), index=int(ref == "7.3"))


def codes(finding: Finding) -> list[str]:
    return [why.code for why in finding.reasons]


@pytest.mark.parametrize(
    ("allocated", "around", "verdict"),
    [
        (3050, 13, "regression"),
        (3053, 13, "regression"),  # a few of the kernel's
        (50, 13, "inconclusive"),  # the zero page
        (3900, 13, "inconclusive"),  # page tables
        (3050, 900, "inconclusive"),  # reads of a file
    ],
)
def test_as_many_faults_must_allocate_as_many_pages(allocated: int, around: int, verdict: str) -> None:
    head = {**changed(TOUCH, fault=(3000, 9_900_000)), (ALLOCATION, ""): (allocated, 0), (AROUND, ""): (around, 0)}
    finding = two(side("6.12", TOUCH), side("7.3", head))
    assert (finding.verdict, "faults-otherwise" in codes(finding)) == (verdict, verdict == "inconclusive")
    cost = next(cost for cost in finding.calls if cost.name == "page fault")
    assert (cost.verdict, cost.why) == (verdict, "of-other-things" if verdict == "inconclusive" else "")


@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [
        ({ON_ANONYMOUS: 3000, ON_FILE: 13}, {ON_ANONYMOUS: 2998, ON_FILE: 13}, "regression"),
        ({ON_ANONYMOUS: 3000, ON_FILE: 13}, {ON_ANONYMOUS: 0, ON_FILE: 3013}, "inconclusive"),  # shared memory
        ({ON_ANONYMOUS: 3000, ON_PRESENT: 0}, {ON_ANONYMOUS: 0, ON_PRESENT: 3000}, "inconclusive"),  # read before
        ({ON_ANONYMOUS: 3000}, {}, "regression"),  # one compiler inlined the handler
    ],
)
def test_as_many_faults_must_be_on_the_same_kinds_of_memory(
    base: dict[str, int], head: dict[str, int], verdict: str
) -> None:
    dearer = changed(TOUCH, fault=(3000, 9_900_000))
    sides = [
        side(ref, {**items, **{(kind, ""): (times, 0) for kind, times in kinds.items()}})
        for ref, items, kinds in (("6.12", TOUCH, base), ("7.3", dearer, head))
    ]
    finding = two(*sides)
    assert (finding.verdict, "faults-otherwise" in codes(finding)) == (verdict, verdict == "inconclusive")


@pytest.mark.parametrize(("faults", "verdict"), [(40, "regression"), (41, "different-work")])
def test_each_process_of_a_region_may_take_one_fault_more(faults: int, verdict: str) -> None:
    forks: Items = {(CALL, "clone"): (5, 900_000), (PAGE_FAULT, "page fault"): (35, 60_000), (USER, ""): (3000, 0)}
    head = changed(forks, clone=(5, 990_000), fault=(faults, 70_000), user=(2990, 0))
    sides = [evidence(ref, *(did(items, repeat=n, perturbation=n // 2, region=True) for n in range(3)), index=index)
             for index, (ref, items) in enumerate((("6.12", forks), ("7.3", head)))]  # fmt: skip
    assert two(*sides).verdict == verdict


@pytest.mark.parametrize(
    ("around", "verdict", "code"),
    [(570, "improvement", "faults-left-out"), (13, "inconclusive", "faults-otherwise")],
)
def test_a_kernel_that_maps_more_at_once_still_maps_around_reads(around: int, verdict: str, code: str) -> None:
    base = {**TOUCH, (ALLOCATION, ""): (13, 0), (AROUND, ""): (2800, 0)}
    head = {**changed(base, fault=(600, 2_400_000)), (AROUND, ""): (around, 0)}
    finding = two(side("6.12", base), side("7.3", head))
    assert (finding.verdict, codes(finding)[0]) == (verdict, code)


@pytest.mark.parametrize(("pages", "verdict"), [((3100, 1500), "different-work"), ((3100, 3200), "improvement")])
def test_fewer_faults_on_fewer_pages_are_the_programs(pages: Sequence[int], verdict: str) -> None:
    """A kernel that maps more pages per fault allocates as many pages of them."""
    head = {**changed(TOUCH, fault=(1500, 5_400_000)), (ALLOCATION, ""): (1550, 0)}
    finding = two(side("6.12", TOUCH, pages[0]), side("7.3", head, pages[1]))
    assert finding.verdict == verdict


def test_a_race_that_decides_who_copies_shows_in_the_rounds() -> None:
    """The child may end before its parent writes: two kinds of rounds, whose calls and faults are as many."""
    runs = []
    for n in range(3):
        run = did(TOUCH, repeat=n, perturbation=n // 2, rounds=12)
        (phase,), work = run.phases, run.work
        assert work is not None
        copies = tuple(3000 if number % 2 else 2100 for number in range(12))
        items = tuple(structs.replace(item, times=copies) if item.kind == ALLOCATION else item for item in work.items)
        phase = structs.replace(phase, ticks=tuple(phase.ticks[0] + 1000 * (count - 3000) for count in copies))
        runs.append(structs.replace(run, phases=(phase,), work=structs.replace(work, items=items)))
    most = own_spreads(evidence("6.12", *runs))[0]
    assert (most.what, most.low, most.high) == (ALLOCATION, 2100, 3000) and most.share > 0.25


def test_futex_errors_of_a_program_of_one_task_are_compared() -> None:
    waits = changed(TOUCH, futex=(300, 2_000_000))
    sides = [
        evidence(ref, *(did(waits, repeat=n, perturbation=n // 2,
                            results=[CallResult(name="futex", error=error, times=300)]) for n in range(3)), index=index)
        for index, (ref, error) in enumerate((("6.12", "EAGAIN"), ("7.3", "ETIMEDOUT")))
    ]  # fmt: skip
    assert two(*sides).verdict == "different-work"


TRUNCATE: Items = {(CALL, "ftruncate"): (20, 900_000), (USER, ""): (400, 0)}


@pytest.mark.parametrize(
    ("pages", "verdict"), [((9850, 8890), "inconclusive"), ((9850, 9870), "regression"), ((0, 0), "regression")]
)
def test_a_file_that_was_filled_before_a_region_shows_in_the_allocated_pages(
    pages: Sequence[int], verdict: str
) -> None:
    """No call names the pages of a file that a region cuts."""
    sides = []
    for index, (ref, cost, allocated) in enumerate((("6.12", 900_000, pages[0]), ("7.3", 1_030_000, pages[1]))):
        items = changed(TRUNCATE, ftruncate=(20, cost))
        runs = [did(items, repeat=n, perturbation=n // 2, region=True,
                    results=[CallResult(name="ftruncate", times=20)]) for n in range(3)]  # fmt: skip
        counted = (("pgalloc_dma32", str(allocated)),)
        sides.append(evidence(ref, *(structs.replace(run, counters=counted) for run in runs), index=index))
    finding = two(*sides)
    assert finding.verdict == verdict
    assert [why["calls"] for why in finding.reasons if why.code == "outside-differs"] == (
        ["page allocations"] if verdict == "inconclusive" else []
    )


@pytest.mark.parametrize(("region", "verdict"), [(True, "regression"), (False, "inconclusive")])
def test_page_tables_at_the_end_are_behind_a_region(region: bool, verdict: str) -> None:
    """A kernel may free them in the call that is measured."""
    sides = []
    for index, (ref, cost, tables) in enumerate((("6.12", 900_000, 188 << 10), ("7.3", 1_130_000, 28 << 10))):
        found = [Found(name="exit_group", calls=1, looked=1, table_bytes=tables, faults=400)]
        items = changed(TRUNCATE, ftruncate=(20, cost))
        runs = [did(items, repeat=n, perturbation=n // 2, region=region, found=found,
                    results=[CallResult(name="ftruncate", times=20)]) for n in range(3)]  # fmt: skip
        sides.append(evidence(ref, *runs, index=index))
    assert two(*sides).verdict == verdict


@pytest.mark.parametrize(
    ("pages", "verdict", "grade"),
    [((1563, 1565), "regression", "exact"), ((1563, 1613), "regression", "partial"),
     ((1563, 2500), "inconclusive", "partial")],
)  # fmt: skip
def test_a_file_that_was_filled_before_a_region_shows_in_what_its_calls_allocate(
    pages: Sequence[int], verdict: str, grade: str
) -> None:
    """A mapping that is populated finds some of its pages there."""
    sides = []
    for index, (ref, cost, allocated) in enumerate((("6.12", 900_000, pages[0]), ("7.3", 1_030_000, pages[1]))):
        items = {**changed(TRUNCATE, ftruncate=(20, cost)), (IN_CALLS, ""): (allocated, 0)}
        runs = [did(items, repeat=n, perturbation=n // 2, region=True,
                    results=[CallResult(name="ftruncate", times=20)]) for n in range(3)]  # fmt: skip
        sides.append(evidence(ref, *runs, index=index))
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == (verdict, grade)
    assert [why["noun"] for why in finding.reasons] == ["pages to allocate"] * (grade == "partial")
