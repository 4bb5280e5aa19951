# SPDX-License-Identifier: GPL-2.0-only
"""Other work that shows in no number of calls: other pages, lengths in what is divided, calls that nobody watched."""

from collections.abc import Sequence

import pytest

from kassay.model.finding import Finding
from kassay.model.run import CellEvidence, Measurement
from kassay.model.work import CallResult
from tests.analysis.sides import evidence
from tests.analysis.test_work import divided
from tests.analysis.works import CALL, INNER, PAGE_FAULT, USER, Items, changed, did, two

LOOP: Items = {(CALL, "madvise"): (20, 400_000), (PAGE_FAULT, "page fault"): (500, 1_500_000), (USER, ""): (90_000, 0)}


def kernel(ref: str, items: Items, **words: object) -> CellEvidence:
    runs = [did(items, repeat=0, **words), did(items, repeat=1, **words),  # type: ignore[arg-type]
            did(items, repeat=2, perturbation=1, **words)]  # type: ignore[arg-type]  # fmt: skip
    return evidence(ref, *runs, index=int(ref == "7.3"))


def codes(finding: Finding) -> list[str]:
    return [reason.code for reason in finding.reasons]


MORE = changed(LOOP, fault=(1000, 3_000_000))
"""500 faults more by the same instructions."""


@pytest.mark.parametrize(
    ("kb", "verdict", "why"),
    [
        ((4000, 6000), "different-work", "different-work"),  # 500 pages more: the program touched them
        ((4000, 5100), "different-work", "different-work"),  # 275
        ((4000, 3900), "regression", "faults-left-out"),  # as many pages: a kernel that maps fewer at once
        ((6000, 4000), "regression", "faults-left-out"),  # and one that mapped more than were asked for
    ],
)
def test_faults_are_the_kernels_unless_as_many_more_pages_are_resident(
    kb: tuple[int, int], verdict: str, why: str
) -> None:
    finding = two(kernel("6.12", LOOP, resident_kb=kb[0]), kernel("7.3", MORE, resident_kb=kb[1]))
    assert (finding.verdict, finding.evidence, codes(finding)[0]) == (verdict, "partial", why)


READ: Items = {(CALL, "pread64"): (300, 900_000), (PAGE_FAULT, "page fault"): (22, 66_000), (USER, ""): (18_000, 0)}


@pytest.mark.parametrize(
    ("kb", "verdict"), [((700, 1896), "different-work"), ((700, 720), "regression"), ((0, 0), "regression")]
)
def test_faults_inside_of_calls_count_as_those_of_the_programs_own_code(kb: tuple[int, int], verdict: str) -> None:
    """The kernel writes to 300 pages instead of one, and the program executes as many instructions."""
    base, head = ({**READ, (INNER, "page fault"): (times, 3000 * times)} for times in (4, 303))
    head[CALL, "pread64"] = (300, 1_800_000)
    finding = two(kernel("6.12", base, resident_kb=kb[0]), kernel("7.3", head, resident_kb=kb[1]))
    assert (finding.verdict, finding.evidence) == (verdict, "partial")
    if verdict == "different-work":
        assert finding.differences[0].field == "page fault in a call"


def test_calls_on_other_files_are_other_work_and_say_nothing_about_faults() -> None:
    """All writes go to a device, and the kernel maps other numbers of pages at once."""
    file, device = ([CallResult(name="write", times=200, total=800_000, kind=kind)] for kind in ("", "device-1:3"))
    wrote: Items = {**LOOP, (CALL, "write"): (200, 600_000)}
    finding = two(kernel("6.12", wrote, results=file), kernel("7.3", wrote, results=device))
    assert [d.field for d in finding.differences] == ["write() of device-1:3"]
    once = [CallResult(name="write", times=199, total=800_000), CallResult(name="write", times=1, kind="device-1:3")]
    more = changed(wrote, fault=(1000, 3_000_000))
    finding = two(kernel("6.12", wrote, results=file), kernel("7.3", more, results=once))
    assert (finding.verdict, codes(finding)[0]) == ("regression", "faults-left-out")


MAPS: Items = {(CALL, "mmap"): (2, 2_000_000), (CALL, "munmap"): (2, 300_000), (USER, ""): (18_000, 0)}


@pytest.mark.parametrize(("perturbed", "verdict"), [(2_904_064, "different-work"), (3_149_824, "improvement")])
def test_lengths_that_differ_between_the_runs_of_one_kernel_are_other_work(perturbed: int, verdict: str) -> None:
    """A program takes a length from the clock: its runs lie further apart than the kernels do, and than the change."""

    def maps(length: int) -> list[CallResult]:
        return [CallResult(name=name, times=2, total=length) for name in ("mmap", "munmap")]

    fewer = changed(MAPS, mmap=(2, 1_900_000))
    base = [did(MAPS, results=maps(3_149_824)), did(MAPS, repeat=1, results=maps(3_149_824)),
            did(MAPS, repeat=2, perturbation=1, results=maps(perturbed))]  # fmt: skip
    head = [
        did(fewer, repeat=n, perturbation=n // 2, results=maps(min(perturbed + 45_056, 3_149_824))) for n in (0, 1, 2)
    ]
    finding = two(evidence("6.12", *base), evidence("7.3", *head, index=1))
    assert finding.verdict == verdict
    if verdict == "different-work":
        assert codes(finding) == ["work-by-chance"]
        assert {d.field for d in finding.differences} == {"mmap() bytes", "munmap() bytes"}


POLLS: Items = {(CALL, "poll"): (400, 1_000_000), (CALL, "getppid"): (10, 4000), (USER, ""): (20_000, 0)}


@pytest.mark.parametrize(
    ("call", "sums", "verdict", "evidence"),
    [
        ("poll", ("a", "b"), "inconclusive", "partial"),  # the calls carry more than the change
        ("getppid", ("a", "b"), "improvement", "partial"),  # they carry 0.4 %
        ("openat", ("a", "b"), "inconclusive", "partial"),  # the others work on what it opens
        ("poll", ("a", "a"), "improvement", "exact"),
        ("poll", (None, "a"), "improvement", "exact"),  # measured by an older kassay
    ],
)
def test_calls_with_other_arguments_may_be_all_of_the_change(
    call: str, sums: tuple[str | None, str], verdict: str, evidence: str
) -> None:
    faster = changed(POLLS, poll=(400, 500_000))
    known = [None if text is None else {call: text, "close": "c"} for text in sums]
    finding = two(kernel("6.12", POLLS, arguments=known[0]), kernel("7.3", faster, arguments=known[1]))
    assert (finding.verdict, finding.evidence) == (verdict, evidence)
    assert ("arguments-differ" in codes(finding)) == (evidence == "partial")


def test_arguments_that_differ_between_the_runs_of_one_kernel_are_chance() -> None:
    runs = [did(POLLS, arguments={"poll": text}, repeat=n, perturbation=n // 2) for n, text in enumerate("aab")]
    other = changed(POLLS, poll=(400, 500_000))
    finding = two(evidence("6.12", *runs), kernel("7.3", other, arguments={"poll": "c"}))
    assert (finding.verdict, finding.evidence) == ("improvement", "exact")


def test_no_kernel_leaves_none_of_many_faults() -> None:
    nothing = changed(LOOP, fault=(0, 0))
    assert two(kernel("6.12", nothing, region=True), kernel("7.3", LOOP, region=True)).verdict == "different-work"


@pytest.mark.parametrize(("region", "verdict"), [(True, "different-work"), (False, "regression")])
def test_a_few_faults_more_are_those_of_a_start_which_a_region_has_not(region: bool, verdict: str) -> None:
    small: Items = {(CALL, "getpid"): (10, 20_000), (PAGE_FAULT, "page fault"): (4, 12_000), (USER, ""): (900, 0)}
    head = changed(small, fault=(8, 24_000), user=(960, 0))
    assert two(kernel("6.12", small, region=region), kernel("7.3", head, region=region)).verdict == verdict


def test_as_much_memory_of_another_kind_is_a_doubt() -> None:
    """Pages of a shared mapping in place of private ones, by as many faults."""
    shared = changed(LOOP, fault=(500, 3_000_000))
    sides = [kernel(ref, items, resident_kb=4792, anonymous_kb=kb) for ref, items, kb in
             (("6.12", LOOP, 4140), ("7.3", shared, 44))]  # fmt: skip
    finding = two(sides[0], sides[1])
    assert (finding.evidence, codes(finding)) == ("partial", ["resident-differs"])


def test_other_resident_memory_that_no_fault_explains_is_a_doubt() -> None:
    slower = changed(LOOP, madvise=(20, 600_000))
    finding = two(kernel("6.12", LOOP, resident_kb=704), kernel("7.3", slower, resident_kb=1900))
    assert (finding.verdict, finding.evidence, codes(finding)) == ("regression", "partial", ["resident-differs"])
    finding = two(kernel("6.12", LOOP, resident_kb=704), kernel("7.3", slower, resident_kb=756))
    assert (finding.verdict, finding.evidence) == ("regression", "exact")


def printed(ref: str, items: Items, results: Sequence[CallResult] | None = None) -> CellEvidence:
    """Ten operations in each round, and on 7.3 twenty, each of which is a tenth of these items."""
    each = 1 + int(ref == "7.3")
    done = {key: (times * each, cost * each) for key, (times, cost) in items.items()}
    runs = [
        divided(done, 10 * each, perturbation, repeat, results) for perturbation, repeat in ((0, 0), (0, 1), (1, 2))
    ]
    return evidence(ref, *runs, index=int(ref == "7.3"))


def test_four_faults_more_for_each_operation_are_not_those_of_a_start() -> None:
    head = changed(LOOP, fault=(540, 1_620_000), user=(90_100, 0))
    finding = two(printed("6.12", LOOP), printed("7.3", head))
    assert "work-not-proportional" in codes(finding)
    assert two(printed("6.12", LOOP), printed("7.3", MORE_BY_CODE)).verdict == "different-work"


def test_a_printed_number_that_is_always_the_same_divides_nothing() -> None:
    """Work that is not proportional to it is refused from the same part of the value as without it."""
    head = changed(LOOP, fault=(540, 1_620_000), user=(90_100, 0))
    runs = [[divided(items, 10, n // 2, n) for n in range(3)] for items in (LOOP, head)]
    assert two(evidence("6.12", *runs[0]), evidence("7.3", *runs[1], index=1)).verdict == "different-work"


MORE_BY_CODE = changed(LOOP, fault=(1000, 3_000_000), user=(95_000, 0))


def populated(length: int) -> tuple[CallResult, ...]:
    return (CallResult(name="madvise", times=20, total=20 * length, kind="0x17"),)


def test_lengths_of_calls_are_compared_where_values_are_divided() -> None:
    slower = changed(LOOP, madvise=(20, 1_600_000))
    sides = [printed(ref, items, populated(length)) for ref, items, length in
             (("6.12", LOOP, 65536), ("7.3", slower, 262144))]  # fmt: skip
    assert two(*sides).verdict == "different-work"


def test_a_change_smaller_than_the_work_that_is_not_proportional_has_no_verdict() -> None:
    head = changed(LOOP, fault=(530, 1_590_000), user=(90_100, 0))
    finding = two(printed("6.12", LOOP), printed("7.3", head))
    assert finding.change is not None and 0.01 < finding.change < 0.05
    assert finding.verdict == "inconclusive" and "work-not-proportional" in codes(finding)


@pytest.mark.parametrize(("watched", "others", "found"), [(4000, (), ["calls-not-watched"]), (400, (), []),
                                                          (400, None, ["others-not-watched"])])  # fmt: skip
def test_calls_that_nobody_watched_are_a_doubt(
    watched: int, others: tuple[CallResult, ...] | None, found: list[str]
) -> None:
    many: Items = {(CALL, "mmap"): (5000, 4_000_000), (CALL, "clone"): (100, 900_000), (USER, ""): (90_000, 0)}
    slower = changed(many, mmap=(5000, 5_000_000))
    results = (CallResult(name="mmap", times=watched, total=watched * 4096),)
    finding = two(*(kernel(ref, items, results=results, others=others)
                    for ref, items in (("6.12", many), ("7.3", slower))))  # fmt: skip
    assert (finding.verdict, codes(finding)) == ("regression", found)


def test_calls_that_were_asked_otherwise_have_no_cost_and_those_behind_them_no_verdict() -> None:
    """mmap() maps four times as much; what exit_group() then frees, and the faults, cost other sums for that alone."""
    mapping: Items = {(CALL, "mmap"): (20, 400_000), (CALL, "write"): (20, 400_000), (CALL, "exit_group"): (1, 300_000),
                      (USER, ""): (90_000, 0)}  # fmt: skip
    head = changed(mapping, mmap=(20, 900_000), exit_group=(1, 900_000), write=(20, 500_000))
    results = [(CallResult(name="mmap", times=20, total=20 * length), CallResult(name="write", times=20, total=2000))
               for length in (4096, 16384)]  # fmt: skip
    finding = two(kernel("6.12", mapping, results=results[0]), kernel("7.3", head, results=results[1]))
    assert finding.verdict == "different-work"
    assert {(cost.name, cost.verdict, cost.evidence) for cost in finding.calls} == {
        ("write", "inconclusive", "partial"), ("exit_group", "inconclusive", "partial"),
    }  # fmt: skip


def test_what_a_process_has_at_its_end_is_no_cost_of_a_call_if_the_work_differs() -> None:
    base: Items = {(CALL, "madvise"): (5, 500_000), (CALL, "exit_group"): (1, 300_000), (USER, ""): (90_000, 0)}
    head = changed(base, madvise=(4, 480_000), exit_group=(1, 400_000))
    finding = two(kernel("6.12", base), kernel("7.3", head))
    assert {(cost.name, cost.verdict) for cost in finding.calls} == {
        ("madvise", "regression"), ("exit_group", "inconclusive"),
    }  # fmt: skip


def unsettled(faults: Sequence[int], repeat: int, perturbation: int = 0) -> Measurement:
    from msgspec import structs

    run = did(LOOP, rounds=len(faults), repeat=repeat, perturbation=perturbation)
    ticks = tuple(490_000 + 3000 * count for count in faults)
    (phase,), work = run.phases, run.work
    assert work is not None
    items = tuple(structs.replace(item, times=tuple(faults), counts=tuple(3000 * count for count in faults))
                  if item.name == "page fault" else item for item in work.items)  # fmt: skip
    return structs.replace(run, phases=(structs.replace(phase, ticks=ticks),), work=structs.replace(work, items=items))


def test_a_program_whose_rounds_follow_its_process_number_gets_no_verdict() -> None:
    """A hash table whose seed is getpid(): each round is another process, and touches other pages."""
    sides = []
    for index, (ref, faults) in enumerate((("6.12", (151, 87, 279, 87)), ("7.3", (279, 55, 989, 1003)))):
        runs = [unsettled(faults, 0), unsettled(faults, 1), unsettled(faults, 2, 1)]
        sides.append(evidence(ref, *runs, index=index))
    finding = two(*sides)
    assert (finding.verdict, codes(finding)) == ("different-work", ["work-by-chance"])


@pytest.mark.parametrize(("operations", "verdict"), [((500, 900), "inconclusive"), ((900, 500), "regression")])
def test_an_operation_may_cost_more_for_those_that_came_before(operations: tuple[int, int], verdict: str) -> None:
    """A program that loops until a time has passed does fewer where they cost more, and not more."""
    runs = []
    for count, cost in zip(operations, (6000, 9000), strict=True):
        items: Items = {(CALL, "fcntl"): (count, cost * count), (USER, ""): (100 * count, 0)}
        runs.append([divided(items, count, n // 2, n) for n in range(3)])
    finding = two(evidence("6.12", *runs[0]), evidence("7.3", *runs[1], index=1))
    assert (finding.verdict, "more-operations" in codes(finding)) == (verdict, verdict == "inconclusive")


@pytest.mark.parametrize(("calls", "verdict"), [((500, 900), "inconclusive"), ((900, 500), "regression")])
def test_a_call_may_cost_more_for_those_that_came_before(calls: tuple[int, int], verdict: str) -> None:
    sides: list[Items] = [
        {(CALL, "fcntl"): (count, cost * count), (USER, ""): (100 * count, 0), ("clock", ""): (count, 0)}
        for count, cost in zip(calls, (6000, 9000), strict=True)
    ]
    finding = two(kernel("6.12", sides[0]), kernel("7.3", sides[1]))
    (cost,) = finding.calls
    assert (finding.verdict, cost.verdict, cost.why) == (
        "different-work", verdict, "of-more" if verdict == "inconclusive" else ""
    )  # fmt: skip


def test_each_fork_may_take_a_page_fault_more() -> None:
    forks: Items = {
        (CALL, "clone"): (15, 1_500_000),
        (PAGE_FAULT, "page fault"): (318, 900_000),
        (USER, ""): (30_000, 0),
    }
    more = {**forks, (CALL, "clone"): (15, 1_700_000), (PAGE_FAULT, "page fault"): (329, 930_000)}
    assert two(kernel("6.12", forks), kernel("7.3", more)).verdict == "regression"
    many = {**more, (PAGE_FAULT, "page fault"): (418, 1_180_000), (USER, ""): (30_200, 0)}
    assert two(kernel("6.12", forks), kernel("7.3", many)).verdict == "different-work"


@pytest.mark.parametrize(
    ("peaks", "verdict"),
    [
        ((2800, 4800), "different-work"),  # twice the pages, given back before the end
        ((2800, 2900), "regression"),
        ((4800, 2800), "regression"),  # a kernel that maps more pages with each fault
    ],
)
def test_faults_on_pages_that_are_given_back_are_seen_at_the_peak(peaks: tuple[int, int], verdict: str) -> None:
    sides = [kernel(ref, items, resident_kb=700, peak_kb=kb) for ref, items, kb in
             (("6.12", LOOP, peaks[0]), ("7.3", MORE, peaks[1]))]  # fmt: skip
    assert two(sides[0], sides[1]).verdict == verdict
