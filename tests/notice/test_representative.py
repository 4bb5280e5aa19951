# SPDX-License-Identifier: GPL-2.0-only
"""From the sizes that applications have to parameters of the finding's workload."""

from msgspec import structs

from kassay.labs.notice.model import CallSizes, Noticed, SizeBin, SoughtEntry, SoughtFunction, Subject
from kassay.labs.notice.representative import representative
from kassay.model.records import Setting
from kassay.model.workload import Parameter, Phase, Workload


def sizes(what: str, unit: str, *bins: tuple[int, int, int]) -> CallSizes:
    """bins: (size, calls, pages)."""
    made = tuple(SizeBin(least=size, most=size, calls=calls, pages=pages) for size, calls, pages in bins)
    largest = bins[-1][0]
    return CallSizes(
        what=what, unit=unit, executions=1, calls=sum(one.calls for one in made), pages=sum(one.pages for one in made),
        median=bins[0][0], p90=largest, largest=largest, typical=largest, bins=made,
    )  # fmt: skip


SIZE = Parameter(
    name="size", kind="size", unit="bytes", default="8MiB", summary="", minimum=4096, maximum=1 << 30,
)  # fmt: skip
ORDER = Parameter(name="order", kind="choice", unit="order", default="0", summary="", choices=("0", "2", "9"))
WORKLOAD = Workload(
    describe="kassay-workload/1", name="w", summary="s", subject="Doing it", state="none", parameters=(SIZE, ORDER),
    phases=(Phase(name="iteration", operation="page", definition="x", primary=True),),
)  # fmt: skip


def asked(entry: str, seen: CallSizes, workload: Workload = WORKLOAD) -> tuple[tuple[str, str], ...]:
    """One application whose calls are these, and a finding of 2 MiB at order 0."""
    settings = {"size": "2MiB", "order": "0"}
    subject = Subject(
        workload="w", base="debian:6.16", head="debian:6.17", functions=(SoughtFunction(function="f", whole=True),),
        settings=tuple(Setting(name=name, value=value) for name, value in settings.items()),
        entries=(SoughtEntry(entry=entry, base=1, head=2),),
    )  # fmt: skip
    one = Noticed(application="node_job", verdict="below", sizes=(seen,))
    return representative(subject, workload, (one,), 4096)


def test_a_micro_benchmark_is_given_the_lengths_of_calls() -> None:
    seen = sizes("mprotect", "pages", (1, 10, 10), (40, 1, 40))
    ((command, why),) = asked("mprotect", seen)
    assert command == "kassay compare w debian:6.16 debian:6.17 --set size=4KiB,160KiB --set order=0"
    assert "span 1 page (the median of their medians) and at most 40 pages, those of the finding 512 pages" in why


def test_orders_of_folios_are_chosen_by_the_pages_in_them_as_far_as_the_workload_has_them() -> None:
    seen = sizes("folio order", "order", (0, 500, 500), (1, 3, 6), (3, 50, 400), (9, 1, 512))
    ((command, why),) = asked("page fault", seen)
    assert command == "kassay compare w debian:6.16 debian:6.17 --set order=0,9 --set size=2MiB"
    assert "order 0 35 %, order 3 28 %, order 9 36 %; the finding is of order 0" in why


def test_other_calls_and_a_workload_without_such_a_parameter_give_nothing() -> None:
    assert asked("munmap", sizes("mprotect", "pages", (1, 10, 10))) == ()
    assert (
        asked("mprotect", sizes("mprotect", "pages", (1, 1, 1)), structs.replace(WORKLOAD, parameters=(ORDER,))) == ()
    )
