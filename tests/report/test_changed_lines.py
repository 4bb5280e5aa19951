# SPDX-License-Identifier: GPL-2.0-only
"""A report on changed lines never claims more than what ran, and names workloads that run the rest."""

from itertools import pairwise

from msgspec.structs import replace

from kassay.model.lines import EXECUTED, NO_CODE, NOT_EXECUTED, ChangedLines, ChangedPart, Reached
from kassay.model.report import Report
from kassay.report.document import DOUBT, Paragraph
from kassay.report.formats import format_named
from kassay.report.sections.changed_lines import (
    NO_CODE_HERE,
    changed_sentences,
    changed_tables,
    changed_text,
    further,
    further_sentences,
    verdict_word,
    with_unexecuted,
)
from kassay.report.words import short_kernel_names
from tests.report.parts import KERNELS, finding, report_of

IDLE = ChangedPart(path="mm/mremap.c", function="move_ptes", line=208, state=NOT_EXECUTED, not_executed=(208, 209, 212))
OUTSIDE = ChangedPart(
    path="mm/vmscan.c", function="reclaim", line=30, state=NOT_EXECUTED, not_executed=(30,), outside=(31, 32)
)
RAN = ChangedPart(path="mm/mprotect.c", function="", line=7, state=EXECUTED, executed=(7,), removed_executed=(5, 6))
BARE = ChangedPart(path="mm/a.c", function="f", line=1, state=NO_CODE, without_code=3, reason="nothing-of-its-own")
MOVE = Reached(function="move_ptes", workloads=("mremap_move", "thp_remap"), count=4, kernel="Linux 7.3")


def report(changed: ChangedLines) -> Report:
    pair = replace(finding(KERNELS[0], KERNELS[1], (300.0, 300.0)), verdict="equivalent", changed=changed)
    return report_of(KERNELS[:2], verdict="The same.", findings=(pair,))


def rendered_mail(of: Report) -> str:
    return " ".join(format_named("mail").render(of).split())


def said(changed: ChangedLines) -> str:
    return changed_text(report(changed).findings[0].changed)


def test_code_that_never_ran_names_workloads_that_execute_it() -> None:
    assert said(ChangedLines(state=NOT_EXECUTED, parts=(IDLE, BARE), elsewhere=(MOVE,))) == (
        "The changed lines were not executed by this workload (move_ptes() in mm/mremap.c): the figures say nothing "
        "about the change. move_ptes() is executed by mremap_move, thp_remap and 2 more (on Linux 7.3)."
    )


def test_code_that_ran_only_outside_of_the_measured_part_has_its_own_words() -> None:
    assert said(ChangedLines(state=NOT_EXECUTED, parts=(OUTSIDE,))) == (
        "The changed lines were executed only outside of the measured part (reclaim() in mm/vmscan.c): the figures say "
        "nothing about the change."
    )
    assert said(ChangedLines(state=NOT_EXECUTED, parts=(IDLE, OUTSIDE))) == (
        "The changed lines were not executed by this workload (move_ptes() in mm/mremap.c); executed only outside of "
        "the measured part (reclaim() in mm/vmscan.c): the figures say nothing about the change."
    )
    assert said(ChangedLines(state=EXECUTED, parts=(RAN, OUTSIDE))) == (
        "Of 2 changed parts 1 was executed; executed only outside of the measured part: reclaim() in mm/vmscan.c."
    )
    idle = with_unexecuted(report(ChangedLines(state=NOT_EXECUTED, parts=(OUTSIDE,))))
    assert "executed only outside of the measured part" in idle.verdict
    (shown,) = changed_tables(idle)
    assert [cell.text for cell in shown.rows[0]][2:4] == ["-", "30; outside of the measured part 31-32"]


def test_what_no_workload_runs_is_said_to_be_so() -> None:
    text = said(ChangedLines(state=NOT_EXECUTED, parts=(IDLE,), elsewhere=(replace(MOVE, workloads=(), count=0),)))
    assert text.endswith("No workload of the catalogue executed move_ptes() on Linux 7.3.")


def test_parts_that_ran_are_counted_and_those_that_did_not_are_named() -> None:
    text = said(ChangedLines(state=EXECUTED, parts=(RAN, IDLE)))
    assert text == "Of 2 changed parts 1 was executed; not executed by this workload: move_ptes() in mm/mremap.c."
    assert said(ChangedLines(state=EXECUTED, parts=(RAN, BARE))) == "The changed lines were executed (mm/mprotect.c:7)."


def test_lines_without_code_and_lines_that_are_not_known_are_neither() -> None:
    assert said(ChangedLines(state=NO_CODE, parts=(BARE,))) == f"{NO_CODE_HERE} (f() in mm/a.c)."
    assert "is not known: a kernel was built without line tables" in said(ChangedLines(absent="no-line-tables"))


def test_the_verdict_says_it_once_and_a_table_has_no_word_of_equality() -> None:
    idle = with_unexecuted(report(ChangedLines(state=NOT_EXECUTED, parts=(IDLE,))))
    assert idle.verdict.startswith("The same. The changed lines were not executed by this workload")
    assert (changed_sentences(idle) != [], further_sentences(idle, idle.verdict)) == (True, [])
    assert rendered_mail(idle).count("were not executed by this workload") == 1
    markdown = format_named("markdown").render(idle)
    assert "| not executed |" in markdown and markdown.count("| equivalent |") == 1  # what the word means
    partly = report(ChangedLines(state=EXECUTED, parts=(RAN, IDLE)))
    assert with_unexecuted(partly) == partly
    assert "Of 2 changed parts 1 was executed" in format_named("terminal").render(partly)
    assert verdict_word("regression", NOT_EXECUTED) == "regression"


def test_the_table_has_every_part_with_its_lines() -> None:
    (shown,) = changed_tables(report(ChangedLines(state=EXECUTED, parts=(RAN, IDLE, BARE))))
    assert [[cell.text for cell in row][:4] for row in shown.rows] == [
        ["mm/mprotect.c:7", "executed", "7, removed 5-6", "-"],
        ["move_ptes() in mm/mremap.c", "not executed", "-", "208-209, 212"],
        ["f() in mm/a.c", "no code here: comments, declarations, macros, or code that the compiler left out", "-", "-"],
    ]


def test_changed_lines_of_several_pairs_that_all_ran_are_no_doubt() -> None:
    ran = ChangedLines(state=EXECUTED, parts=(RAN,))
    pairs = tuple(replace(finding(base, head, (300.0, 300.0)), changed=ran) for base, head in pairwise(KERNELS[:3]))
    of = report_of(KERNELS[:3], verdict="The same.", findings=pairs)
    (shown,) = further(of)
    assert [(block.text, block.tone) for block in shown.blocks if isinstance(block, Paragraph)] == [
        (f"{base} to {head}: The changed lines were executed (mm/mprotect.c:7).", "")
        for base, head in pairwise(short_kernel_names(of.experiment)[:3])
    ]
    partly = replace(pairs[0], changed=ChangedLines(state=EXECUTED, parts=(RAN, IDLE)))
    (doubtful,) = further(replace(of, findings=(partly,)))
    assert [block.tone for block in doubtful.blocks if isinstance(block, Paragraph)] == [DOUBT]
