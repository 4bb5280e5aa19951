# SPDX-License-Identifier: GPL-2.0-only
"""Calls that are alike in number, and find other memory: touched by other code before, or outside of a region."""

from typing import Any

import pytest

from kassay.analysis.own_work import work_summary
from kassay.model.finding import Finding
from kassay.model.work import CallResult, Found, FoundByCall
from tests.analysis.sides import evidence
from tests.analysis.test_work_hidden import codes, kernel
from tests.analysis.works import CALL, PAGE_FAULT, USER, Items, changed, did, two

TOGGLES: Items = {(CALL, "mprotect"): (40, 1_600_000), (CALL, "fork"): (1, 100_000), (CALL, "exit_group"): (1, 50_000),
                  (PAGE_FAULT, "page fault"): (1000, 3_000_000), (USER, ""): (20_000, 0)}  # fmt: skip
CHEAPER = changed(TOGGLES, mprotect=(40, 200_000))
"""30 % less."""


def found(name: str = "mprotect", kb: int = 0, calls: int = 40, **words: Any) -> list[Found]:
    return [Found(name=name, calls=calls, looked=calls, bytes=kb * 1024 * calls, **words)]


@pytest.mark.parametrize(
    ("base", "head", "verdict", "grade"),
    [
        (found(kb=4096), found(kb=0), "inconclusive", "partial"),  # toggled before it was touched
        (found(kb=4096), found(kb=4090), "improvement", "exact"),  # two pages of 1024
        (found(kb=4096), found(kb=3900), "improvement", "partial"),  # 5 % of what 33 % carry
        (found("fork", 600, 1), found("fork", 40, 1), "improvement", "partial"),  # it carries 2 %
        (found("fork", 600, 1, mappings=20), found("fork", 600, 1, mappings=23), "improvement", "exact"),  # the vDSO's
        (found("fork", 600, 1, mappings=20), found("fork", 600, 1, mappings=420), "improvement", "partial"),
        (found("exit_group", 600, 1, table_bytes=40_000), found("exit_group", 600, 1, table_bytes=2_000_000),
         "inconclusive", "partial"),  # what faults found carries 63 %
        (found("exit_group", 600, 1, huge_bytes=0), found("exit_group", 600, 1, huge_bytes=8 << 20),
         "inconclusive", "partial"),
        (None, found(kb=0), "improvement", "exact"),  # measured by an older kassay
        (found(swapped_bytes=160 << 20), found(swapped_bytes=0), "inconclusive", "partial"),
        (found(cached_bytes=160 << 20, files=40), found(files=40), "inconclusive", "partial"),
        (found(cached_bytes=160 << 20, files=40), found(), "improvement", "exact"),  # a kernel that does not tell
        (found(), found(swapped_bytes=160 << 20), "improvement", "exact"),  # by an older kassay
    ],
)  # fmt: skip
def test_other_memory_that_calls_find_may_be_all_of_the_change(
    base: list[Found] | None, head: list[Found], verdict: str, grade: str
) -> None:
    sides = kernel("6.12", TOGGLES, found=base), kernel("7.3", CHEAPER, found=head)
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == (verdict, grade)
    assert codes(finding) == ["found-otherwise"] * (grade == "partial")
    said = work_summary((finding,), sides)
    assert said is not None and said.code == ("work-in-doubt" if grade == "partial" else "work-same")


@pytest.mark.parametrize(
    ("opened", "places", "verdict"),
    [(40, (10, 15), "improvement"), (40, (10, 70), "inconclusive"), (41, (10, 70), "improvement")],
)
def test_calls_in_another_order_may_be_all_of_the_change(opened: int, places: tuple[int, int], verdict: str) -> None:
    """The order is compared if there are as many calls of each name."""
    before, after = (
        [
            Found(name="mprotect", calls=40, before=40 * place),
            Found(name="openat", calls=calls, before=40 * (90 - place)),
        ]
        for place, calls in zip(places, (40, opened), strict=True)
    )
    finding = two(kernel("6.12", TOGGLES, found=before), kernel("7.3", CHEAPER, found=after))
    assert finding.verdict == verdict
    assert (finding.evidence == "partial") == (opened == 40)


def test_an_equivalence_in_doubt_is_none() -> None:
    sides = kernel("6.12", TOGGLES, found=found(kb=4096)), kernel("7.3", TOGGLES, found=found(kb=0))
    assert two(*sides).verdict == "inconclusive"


def test_faults_are_not_the_kernels_if_calls_find_as_many_more_pages() -> None:
    """1000 pages more are touched and unmapped: as many instructions, and nothing is left at the end."""
    more = changed(TOGGLES, fault=(2000, 6_000_000))
    for kb, verdict in ((4000, "different-work"), (0, "regression")):
        sides = (
            kernel("6.12", TOGGLES, found=found("munmap", 4, 1)),
            kernel("7.3", more, found=found("munmap", kb + 4, 1)),
        )
        assert two(*sides).verdict == verdict


def steps(*each: tuple[int, int]) -> tuple[FoundByCall, ...]:
    return tuple(FoundByCall(times=times, kb=kb) for times, kb in each)


TURNED = ((40, 8192), (40, 0)), ((40, 0), (40, 8192))


@pytest.mark.parametrize(
    ("each", "inside", "verdict", "grade"),
    [
        (TURNED, 40, "inconclusive", "partial"),
        (TURNED, 80, "improvement", "exact"),  # all are in the region: their mean is the same
        ((((80, 4096),), ((79, 4096), (1, 4090))), 40, "improvement", "exact"),
        ((((79, 0), (1, 4096)), ((80, 0),)), 1, "inconclusive", "partial"),  # little on average
        ((((79, 4096), (1, 0)), ((80, 4096),)), 40, "improvement", "partial"),  # at most one of 40
        ((((80, 0),), ((40, 0), (41, 8192))), 40, "improvement", "exact"),  # not as many calls
    ],
)
def test_calls_of_a_region_may_find_other_memory_than_those_before_it(
    each: tuple[tuple[tuple[int, int], ...], ...], inside: int, verdict: str, grade: str
) -> None:
    """The mean of all calls of a name is the same, as the program turns two mappings."""
    sides = []
    for ref, items, calls in zip(("6.12", "7.3"), (TOGGLES, CHEAPER), each, strict=True):
        region = {key: value for key, value in items.items() if key[1] in ("mprotect", "")}
        region[CALL, "mprotect"] = (inside, region[CALL, "mprotect"][1])
        mprotect = found(kb=4096, calls=80, each=steps(*calls))
        sides.append(kernel(ref, region, region=True, rounds=1, executions=1, found=mprotect))
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == (verdict, grade)
    assert codes(finding) == ["found-otherwise"] * (grade == "partial")
    if each == TURNED and grade == "partial":
        (why,) = finding.reasons[:1]
        assert (why["base_value"], why["head_value"]) == (0, 8192), (
            "of the last calls, as a region is behind its set-up"
        )


def test_order_of_memory_in_which_the_runs_of_one_kernel_differ_is_chance() -> None:
    sides = []
    for index, items in enumerate((TOGGLES, CHEAPER)):
        region = {key: value for key, value in items.items() if key[1] in ("mprotect", "")}
        runs = [did(region, repeat=n, perturbation=n // 2, region=True, rounds=1, executions=1,
                    found=found(kb=4096, calls=80, each=steps(*TURNED[n // 2]))) for n in range(3)]  # fmt: skip
        sides.append(evidence(("6.12", "7.3")[index], *runs, index=index))
    assert codes(two(*sides)) == ["work-by-chance"]


def test_calls_that_are_given_more_than_is_read_are_a_doubt() -> None:
    for unread, verdict in ((0, "improvement"), (40, "inconclusive")):
        sides = (
            kernel("6.12", TOGGLES, found=found(unread=unread)),
            kernel("7.3", CHEAPER, found=found(unread=unread)),
        )
        finding = two(*sides)
        assert (finding.verdict, codes(finding)) == (verdict, ["arguments-unread"] * bool(unread))


@pytest.mark.parametrize(("kb", "verdict"), [(100, "different-work"), (1800, "different-work"), (3500, "improvement")])
def test_memory_by_which_the_runs_of_one_kernel_differ_is_chance(kb: int, verdict: str) -> None:
    """A random number decides what the calls find: the runs lie further apart than half of what the kernels do."""
    base = [did(TOGGLES, repeat=n, perturbation=n // 2, found=found(kb=4096 if n < 2 else kb)) for n in range(3)]
    head = [did(CHEAPER, repeat=n, perturbation=n // 2, found=found(kb=4096 if n < 2 else kb)) for n in range(3)]
    finding = two(evidence("6.12", *base), evidence("7.3", *head, index=1))
    assert finding.verdict == verdict
    if verdict == "improvement":
        return
    assert codes(finding) == ["work-by-chance"]
    assert finding.differences[0].field == "kB of memory found by mprotect()"


def made(name: str, times: int, total: int = 0, kind: str = "") -> CallResult:
    return CallResult(name=name, times=times, total=total, kind=kind)


MPROTECT = made("mprotect", 40, 4096 * 40)


@pytest.mark.parametrize(
    ("head", "verdict"),
    [
        ((made("write", 2, 8192),), "improvement"),
        ((made("write", 300, 8192 * 150),), "inconclusive"),  # called more often
        ((made("write", 2, 9000),), "inconclusive"),  # of other lengths
        ((made("write", 2, 8192, "device-1:3"),), "inconclusive"),
        ((made("write", 2, 8192), made("getpid", 50)), "improvement"),  # leaves nothing behind
        ((made("write", 2, 8192), made("read", 3, 700, "/proc/N/maps")), "improvement"),  # the kernel's own text
        ((made("write", 2, 8192), made("read", 3, 700)), "inconclusive"),
        ((made("write", 2, 8192), made("write", 3, 118, "output")), "improvement"),  # what it prints
    ],
)
def test_calls_outside_of_a_region_may_make_it_cost_more(head: tuple[CallResult, ...], verdict: str) -> None:
    region = {key: value for key, value in TOGGLES.items() if key[1] in ("mprotect", "")}
    cheaper = {key: value for key, value in CHEAPER.items() if key[1] in ("mprotect", "")}
    sides = (kernel("6.12", region, region=True, results=(MPROTECT, made("write", 2, 8192))),
             kernel("7.3", cheaper, region=True, results=(MPROTECT, *head)))  # fmt: skip
    finding = two(*sides)
    assert finding.verdict == verdict
    assert codes(finding) == ["outside-differs"] * (verdict == "inconclusive")


@pytest.mark.parametrize(
    ("sent", "executions", "verdict"),
    [
        ((103, 103), 3, "improvement"),
        ((103, 93), 3, "inconclusive"),  # 63 before the region, and 53
        ((103, 93), 0, "improvement"),  # measured by an older kassay: these may be rounds
    ],
)
def test_calls_of_a_name_are_counted_before_a_region_that_makes_them_too(
    sent: tuple[int, int], executions: int, verdict: str
) -> None:
    region: Items = {(CALL, "msgsnd"): (40, 1_600_000), (USER, ""): (20_000, 0)}
    cheaper = changed(region, msgsnd=(40, 200_000))
    sides = [
        kernel(ref, items, region=True, executions=executions, results=(made("msgsnd", number),))
        for ref, items, number in zip(("6.12", "7.3"), (region, cheaper), sent, strict=True)
    ]
    finding = two(*sides)
    assert (finding.verdict, codes(finding)) == (verdict, ["outside-differs"] * (verdict == "inconclusive"))


@pytest.mark.parametrize(("last", "verdict"), [(209, "improvement"), (240, "inconclusive")])
def test_a_watched_execution_with_a_round_less_did_the_same_before_it(last: int, verdict: str) -> None:
    """Six rounds of 40 calls fit into a time, or five; nine calls come before them."""
    region: Items = {(CALL, "sigqueue"): (40, 1_600_000), (USER, ""): (20_000, 0)}
    sides = []
    for index, items in enumerate((region, changed(region, sigqueue=(40, 200_000)))):
        runs = [did(items, repeat=n, perturbation=n // 2, region=True, executions=1, rounds=6,
                    results=[made("sigqueue", last if n == 2 else 249)]) for n in range(3)]  # fmt: skip
        sides.append(evidence(("6.12", "7.3")[index], *runs, index=index))
    assert two(*sides).verdict == verdict


@pytest.mark.parametrize(("last", "tasks", "verdict"), [(48, 0, "inconclusive"), (49, 0, "improvement"),
                                                        (46, 1, "improvement"), (40, 1, "inconclusive")])  # fmt: skip
def test_calls_before_a_region_that_vary_from_run_to_run_are_a_doubt(last: int, tasks: int, verdict: str) -> None:
    """A set-up until a time has passed. Several tasks may make a few calls on either side of an end."""
    region: Items = {(CALL, "mprotect"): (40, 1_600_000), (USER, ""): (20_000, 0)}
    sides = []
    for index, items in enumerate((region, changed(region, mprotect=(40, 200_000)))):
        runs = []
        for n in range(3):
            results = [made("mprotect", 40), made("sigqueue", last if n == 2 else 49), *[made("clone", 1)] * tasks]
            runs.append(did(items, repeat=n, perturbation=n // 2, region=True, executions=3, results=results))
        sides.append(evidence(("6.12", "7.3")[index], *runs, index=index))
    finding = two(*sides)
    assert (finding.verdict, codes(finding)) == (verdict, ["outside-differs"] * (verdict == "inconclusive"))


@pytest.mark.parametrize(
    ("writes", "verdict"), [((10, 8), "improvement"), ((10, 4), "inconclusive"), ((0, 1), "inconclusive")]
)
def test_calls_between_the_rounds_of_a_region_are_as_many_for_each(writes: tuple[int, int], verdict: str) -> None:
    """A program that loops until a time has passed: ten rounds on one kernel, eight on the other."""
    region = {key: value for key, value in TOGGLES.items() if key[1] in ("mprotect", "")}
    cheaper = {key: value for key, value in CHEAPER.items() if key[1] in ("mprotect", "")}
    results = [
        (made("mprotect", 40 * rounds, 4096 * 40 * rounds), *([made("write", n, 8192 * n)] if n else []))
        for rounds, n in zip((10, 8), writes, strict=True)
    ]
    finding = two(kernel("6.12", region, region=True, results=results[0]),
                  kernel("7.3", cheaper, region=True, results=results[1]))  # fmt: skip
    assert (finding.verdict, codes(finding)) == (verdict, ["outside-differs"] * (verdict == "inconclusive"))


def lasting(*sides: tuple[Items, int]) -> Finding:
    """Two kernels, each with its work and the ticks of a whole execution."""
    runs = [[did(items, ticks, repeat=n, perturbation=n // 2) for n in range(3)] for items, ticks in sides]
    return two(evidence("6.12", *runs[0]), evidence("7.3", *runs[1], index=1))


@pytest.mark.parametrize(("more", "verdict"), [(0, "inconclusive"), (700_000, "regression")])
def test_a_change_outside_of_calls_and_faults_is_no_exact_evidence(more: int, verdict: str) -> None:
    """All of the change, or 59 % of it: a sleeping guest is idle for longer."""
    slower = changed(TOGGLES, mprotect=(40, 1_600_000 + more))
    finding = lasting((TOGGLES, 5_000_000), (slower, 6_000_000 + more))
    assert (finding.verdict, finding.evidence, codes(finding)) == (verdict, "partial", ["change-elsewhere"])


def test_code_of_entry_and_exit_belongs_to_calls_that_are_compared() -> None:
    """It is all of the change; as many calls were made."""
    sides = [({**TOGGLES, ("entry and exit", ""): (count, 0)}, 4_000_000 + count) for count in (200_000, 1_000_000)]
    finding = lasting(*sides)
    assert (finding.verdict, finding.evidence, codes(finding)) == ("regression", "exact", [])


@pytest.mark.parametrize(
    ("turns", "verdict", "evidence"),
    [(44, "regression", "exact"), (50, "regression", "partial"), (100, "inconclusive", "partial")],
)
def test_other_turns_of_tasks_are_a_doubt(turns: int, verdict: str, evidence: str) -> None:
    """The calls are alike, and the scheduler was called more often in them."""
    threads = changed(TOGGLES, clone=(4, 40_000))
    slower = changed(threads, mprotect=(40, 1_900_000))
    finding = lasting(
        *(
            ({**items, ("call of the scheduler", ""): (n, 3000 * n)}, sum(cost for _, cost in items.values()) + 20_000)
            for items, n in ((threads, 40), (slower, turns))
        )
    )
    assert (finding.verdict, finding.evidence) == (verdict, evidence)
    assert ("turns-differ" in codes(finding)) == (turns != 44)


@pytest.mark.parametrize(("more", "verdict"), [(0, "equivalent"), (700_000, "inconclusive")])
def test_a_long_sleep_hides_nothing(more: int, verdict: str) -> None:
    """Calls cost more, and the guest is idle for nearly all of the time."""
    slower = changed(TOGGLES, mprotect=(40, 1_600_000 + more))
    finding = lasting((TOGGLES, 300_000_000), (slower, 300_000_000 + more))
    assert (finding.verdict, codes(finding)[:-1]) == (verdict, ["mostly-elsewhere"] if more else [])


@pytest.mark.parametrize(("faults", "verdict"), [(120, "improvement"), (1100, "inconclusive")])
def test_faults_outside_of_a_region_may_make_it_cost_more(faults: int, verdict: str) -> None:
    """A region unlinks a file that was filled by stores."""
    end = [Found(name="exit_group", calls=1, looked=1, faults=number) for number in (100, faults)]
    region = {key: value for key, value in TOGGLES.items() if key[1] in ("mprotect", "")}
    cheaper = {key: value for key, value in CHEAPER.items() if key[1] in ("mprotect", "")}
    sides = (kernel("6.12", region, region=True, results=(MPROTECT,), found=end[:1]),
             kernel("7.3", cheaper, region=True, results=(MPROTECT,), found=end[1:]))  # fmt: skip
    assert two(*sides).verdict == verdict


def test_arguments_of_calls_that_are_more_on_one_kernel_are_not_compared() -> None:
    """Values are divided by printed operations, and one kernel did more of them: their sums differ in any case."""
    for calls, verdict in ((40, "inconclusive"), (44, "improvement")):
        sides = (kernel("6.12", TOGGLES, found=found(kb=4), arguments={"mprotect": "a"}),
                 kernel("7.3", CHEAPER, found=found(kb=4, calls=calls), arguments={"mprotect": "b"}))  # fmt: skip
        assert two(*sides).verdict == verdict


def test_calls_of_a_region_that_its_rounds_do_not_make_are_no_rounds() -> None:
    """A call that only some rounds make has 0 calls in those that the value stands for."""
    region: Items = {(CALL, "mprotect"): (40, 1_600_000), (CALL, "brk"): (0, 0), (USER, ""): (20_000, 0)}
    cheaper = {**region, (CALL, "mprotect"): (40, 200_000)}
    results = (MPROTECT, made("brk", 3), made("write", 2, 8192))
    sides = (kernel("6.12", region, region=True, results=results),
             kernel("7.3", cheaper, region=True, results=results))  # fmt: skip
    assert two(*sides).verdict == "improvement"


@pytest.mark.parametrize(
    ("idle", "verdict"), [(-1_000_000, "inconclusive"), (-600_000, "inconclusive"), (-300_000, "regression")]
)
def test_calls_that_cost_more_and_an_idle_loop_that_takes_less_do_not_cancel_out(idle: int, verdict: str) -> None:
    slower = changed(TOGGLES, mprotect=(40, 2_600_000))
    own = sum(cost for _, cost in TOGGLES.values()) + 20_000
    finding = lasting((TOGGLES, own + 2_000_000), (slower, own + 3_000_000 + idle))
    assert (finding.verdict, finding.evidence) == (verdict, "partial" if verdict == "inconclusive" else "exact")


def test_a_watched_execution_that_was_cut_by_the_clock_is_compared_by_what_was_measured() -> None:
    """The program locks bytes until a time has passed: as often on both kernels, but not under ptrace."""
    items: Items = {(CALL, "fcntl"): (500, 3_000_000), (USER, ""): (50_000, 0), ("clock", ""): (501, 0)}
    slower = {**items, (CALL, "fcntl"): (500, 3_300_000)}
    sides = [kernel(ref, done, results=(made("fcntl", watched, kind="0x6"),))
             for ref, done, watched in (("6.12", items, 107), ("7.3", slower, 93))]  # fmt: skip
    finding = two(*sides)
    assert (finding.verdict, finding.evidence) == ("regression", "exact")
