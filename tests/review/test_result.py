# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a review from the reports of its stages: changed functions, and settings that executed none."""

from msgspec import structs

from kassay.labs.review.outcomes import Ways
from kassay.labs.review.result import functions_of, idle_settings
from kassay.labs.review.stages import BASE, HEAD, Seen
from kassay.model.lines import ChangedLines, ChangedPart, SourceChange, SourcePart
from tests.report.parts import KERNELS, finding, report_of

NOTHING = Ways(frozenset(), frozenset(), frozenset())


def test_a_removed_line_is_not_the_new_line_of_its_number() -> None:
    part = SourcePart(path="mm/x.c", function="f", lines=(12,), removed=(12, 14), code=(12,), removed_code=(12, 14))
    ran = ChangedPart(path="mm/x.c", function="f", line=12, state="executed", executed=(12,))
    found = structs.replace(finding(*KERNELS[:2], (100.0, 100.0)), changed=ChangedLines(state="executed", parts=(ran,)))
    report = report_of(KERNELS[:2], findings=(found,))
    (row,) = functions_of(SourceChange(base=BASE, head=HEAD, parts=(part,)), [report], (), {})
    assert (row.state, row.executed, row.not_executed) == ("executed", (12,), (12, 14))
    assert (row.removed_executed, row.removed_not_executed) == ((), (12, 14))
    assert (row.added_executed, row.added_not_executed) == ((12,), ())
    both = structs.replace(
        found, changed=ChangedLines(state="executed", parts=(structs.replace(ran, removed_executed=(12,)),))
    )
    (row,) = functions_of(
        SourceChange(base=BASE, head=HEAD, parts=(part,)), [report_of(KERNELS[:2], findings=(both,))], (), {}
    )
    assert (row.executed, row.removed_executed, row.not_executed) == ((12, 12), (12,), (14,))


def test_a_line_that_only_ran_outside_of_the_measured_part_is_not_executed() -> None:
    part = SourcePart(path="mm/x.c", function="f", lines=(12,), removed=(14, 15), code=(), removed_code=())
    ran = ChangedPart(
        path="mm/x.c", function="f", line=12, state="not-executed", outside=(12,), removed_outside=(14, 15)
    )
    measured = structs.replace(ran, state="executed", outside=(), removed_outside=(15,), executed=(12,))

    def of(*runs: ChangedPart) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        changed = ChangedLines(state="not-executed", parts=runs)
        found = structs.replace(finding(*KERNELS[:2], (100.0, 100.0)), changed=changed)
        report = report_of(KERNELS[:2], findings=(found,))
        (row,) = functions_of(SourceChange(base=BASE, head=HEAD, parts=(part,)), [report], (), {})
        return row.state, row.executed, row.not_executed

    assert of(ran) == ("not-executed", (), (12, 14, 15))
    assert of(ran, measured) == ("executed", (12,), (14, 15))


def test_a_function_is_that_of_its_file() -> None:
    parts = tuple(
        SourcePart(path=path, function="init", lines=(1,), removed=(), code=(1,), removed_code=())
        for path in ("mm/a.c", "mm/b.c")
    )
    by_patch = {1: [("mm/a.c", "init")], 2: [("mm/b.c", "init")], 3: [("mm/a.c", "init")]}
    rows = functions_of(SourceChange(base=BASE, head=HEAD, parts=parts), (), (), by_patch)
    assert {row.path: row.patches for row in rows} == {"mm/a.c": (1, 3), "mm/b.c": (2,)}


def test_a_setting_that_ran_on_one_kernel_alone_is_not_said_to_execute_nothing() -> None:
    def seen(workload: str, kernel: str, *functions: str) -> Seen:
        return Seen((workload, ()), kernel, frozenset(functions), NOTHING)

    runs = [seen("mprot", BASE), seen("mprot", HEAD), seen("page_fault", BASE), seen("mremap_move", BASE, "f"),
            seen("mremap_move", HEAD)]  # fmt: skip
    assert idle_settings(runs, {("mremap_move", ())}) == ("mprot",)
