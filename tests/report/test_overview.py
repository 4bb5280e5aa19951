# SPDX-License-Identifier: GPL-2.0-only
"""Many workloads: which kernel changed which of them, at a glance, and the way to each difference."""

import json
import re

from msgspec import structs

from kassay.model.overview import Cause, CauseRow
from kassay.model.reason import reason
from kassay.questions.gap import gap_counts, gap_overview
from kassay.report.formats import format_named
from kassay.report.overview import overview_sentences, with_overview
from kassay.report.series import groups
from kassay.report.tables import step_mark
from tests.report.parts import MACHINE
from tests.report.rendering import rendered
from tests.report.reports import SAMPLES
from tests.report.suite_reports import suite


def test_a_row_has_the_first_value_and_then_changes_and_marks() -> None:
    text = rendered("terminal", "suite")
    rows = {line.split()[0]: line.split()[2:] for line in text.splitlines() if re.match(r"  \w+_\w+ +page", line)}
    assert rows["fork_exit"] == ["1", "000", "=", "+9.0", "%", "+9.0", "%"]
    assert rows["brk_cycle"] == ["200", "0.50×", "+9.0", "%", "0.55×"]
    assert rows["pipe_write"] == ["500", "=", "=", "="]
    assert rows["mlock_cycle"] == [
        "300",
        "-",
        "!",
        "=",
    ]  # not measured is no change; the last is compared with the first


def test_the_verdict_counts_steps_names_the_largest_and_what_is_open() -> None:
    verdict = json.loads(rendered("json", "suite"))["verdict"]
    assert verdict.startswith(
        "4 workloads on 3 kernels: 3 steps above the margin in 2 of them, 2 that cost more, 1 that"
    )
    assert "Largest: fork_exit +9.0 % since 6.17.13." in verdict
    assert "folio_add_lru +9 a call since 6.17.13, in 2 workloads" in verdict
    assert "2 comparisons without a verdict." in verdict


def test_every_change_on_the_page_leads_to_its_functions() -> None:
    page = rendered("html", "suite")
    links = re.findall(r'<td class="n (?:regression|improvement)(?: large)?"><a href="#(d\d+)">', page)
    anchors = re.findall(r'<div id="(d\d+)">', page)  # inside of what is folded: then a browser unfolds it
    assert len(links) == 5 and set(links) <= set(anchors) and len(anchors) == len(set(anchors))


def test_only_changes_are_itemised_and_the_others_say_so() -> None:
    findings = json.loads(rendered("json", "suite"))["findings"]
    itemised = {f["verdict"] for f in findings if f["attribution"]}
    assert itemised == {"regression", "improvement"}
    left_out = [f["profile_note_code"]["code"] for f in findings if f["verdict"] == "equivalent"]
    assert set(left_out) == {"not-in-overview"}


def test_a_mail_has_the_changes_by_workload_and_the_shared_function() -> None:
    mail = rendered("mail", "suite")
    assert "  brk_cycle: v6.16.12 0.50x, v6.17.13 +9.0%\n" in mail
    assert "  folio_add_lru +9 a call since v6.17.13, in 2 workloads: brk_cycle\n" in mail


def test_a_step_of_small_changes_names_the_kernel_that_it_reaches_back_to() -> None:
    report = suite()
    first, brk, *others = report.ladders
    last = structs.replace(brk.steps[-1], from_kernel=brk.points[0].kernel, change=-0.455, verdict="improvement")
    crept = structs.replace(brk, steps=(brk.steps[0], last))
    report = with_overview(structs.replace(report, ladders=(first, crept, *others)), (), "kassay-out")
    mail = format_named("mail").render(report)
    assert "  brk_cycle: v6.16.12 0.50x, v6.17.13 0.54x compared with v6.12.117\n" in mail
    rows = next(group.lead.rows for group in groups(report) if group.lead.workload == "brk_cycle")
    assert step_mark(rows[-1]) == " ◄ step -45.5 % compared with debian:6.12.117"
    worse = structs.replace(brk, steps=(structs.replace(last, change=2.0, verdict="regression"),))
    report = with_overview(structs.replace(report, ladders=(first, worse, *others)), (), "kassay-out")
    assert "Largest: brk_cycle 3.00× on 6.17.13 compared with 6.12.117." in report.verdict
    assert "  fork_exit: v6.17.13 +9.0%\n" in mail


def test_the_gaps_of_many_workloads_are_one_table_and_counted() -> None:
    (gap,) = [one for one in SAMPLES["gap"]().gaps if one.primary][:1]
    same = (reason("no-gap", base=gap.old, head=gap.new, verdict="equivalent"),)
    none = structs.replace(gap, workload="other", share=None, interval=None, reasons=same)
    half = structs.replace(gap, workload="third", share=0.5)
    worse = structs.replace(gap, workload="fourth", share=-0.1)
    name_of = {gap.old: "6.12", gap.new: "6.19", gap.candidate: "7.3"}
    sentences = gap_counts((gap, none, half, worse), name_of)
    assert sentences[0] == "3 of 4 primary metrics differ between 6.12 and 6.19."
    assert sentences[1] == "7.3 takes back at least half in 1, less than half in 1 and nothing in 1."
    rows = {row[0].text: row[-1].text for row in gap_overview((gap, none, half, worse), name_of).rows}
    assert (rows["other"], rows["third"], rows["fourth"]) == ("no gap", "50.0 %", "-10.0 %")
    narrow = gap_overview((gap, none), name_of, narrow=True)
    assert narrow.columns == ("workload", "6.12", "6.19", "7.3", "gap closed") and len(narrow.rows[0]) == 5


def _cause(function: str, *shares: float) -> Cause:
    rows = tuple(
        CauseRow(workload=f"w{number}", settings=(), machine=MACHINE, metric="m", unit="instructions/page",
                 delta=share * 100, share=share, base_calls=1.0, head_calls=2.0)
        for number, share in enumerate(shares)
    )  # fmt: skip
    return Cause(function=function, place="kernel", context="kernel", base="a", head="b", callees=0, per_call=None,
                 rows=rows)  # fmt: skip


def test_a_function_whose_change_another_one_takes_back_is_no_cause() -> None:
    overview = suite().overview
    assert overview is not None
    name_of = {kernel: kernel for kernel in overview.kernels} | {"b": "b"}
    renamed = (_cause("old_name", -0.5, -0.4), _cause("new_name", 0.52, 0.41))
    without = structs.replace(overview, causes=renamed)
    assert not any("at once" in text for text in overview_sentences(without, name_of))
    other = structs.replace(overview, causes=(*renamed, _cause("folio_add_lru", 0.1, 0.1)))
    (text,) = (text for text in overview_sentences(other, name_of) if "at once" in text)
    assert text == "In several workloads at once: folio_add_lru +10.0 % since b, in 2 workloads of 4."
