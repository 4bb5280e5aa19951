# SPDX-License-Identifier: GPL-2.0-only
"""Predicted time in a report: said first where counts disagree, rows that add up as printed, refusals by name."""

import json

from msgspec.structs import replace

from kassay.model.finding import AttributionGroup
from kassay.model.prediction import PredictedCause
from kassay.model.reason import reason
from kassay.report.predictions import because, disagreements, mail_text, rough, shown
from kassay.report.sections.predicted import checked_table, prediction_tables
from tests.report.rendering import rendered, sample_report, without_library
from tests.report.reports import attribution


def test_where_counts_and_prediction_disagree_it_stands_in_the_first_three_lines() -> None:
    for form in ("terminal", "markdown"):
        first = " ".join(rendered(form, "predicted").splitlines()[:3])
        assert "Counts overstate the change: +123.0 % instructions, +47.4 % predicted time on zen3" in first
        assert "(+35.0 % to +61.0 %)" in first


def test_the_first_line_says_of_how_many_cpus_it_is_true() -> None:
    report = sample_report("predicted")
    assert disagreements(report)[0].endswith("on average; this holds on 1 of 2 CPUs.")  # the third one is refused
    (found,) = report.findings
    alone = replace(report, findings=(replace(found, predictions=found.predictions[:1]),))
    assert disagreements(alone)[0].endswith("on average.")


def test_why_and_the_first_line_are_of_the_cpu_whose_prediction_is_furthest_from_the_counts() -> None:
    report = sample_report("predicted")
    (found,) = report.findings
    known = found.predictions[0]
    assert known.meaning is not None
    named = replace(known.meaning, arguments=(*known.meaning.arguments, ("cpu", "zen5")))
    other = replace(known, cpu="zen5", change=-0.2, meaning=named)
    both = replace(report, findings=(replace(found, predictions=(known, other)),))
    assert "predicted time on zen5" in disagreements(both)[0] and disagreements(both)[0].endswith("on 2 of 2 CPUs.")
    assert "ns/page on zen5: " in without_library("terminal", both)


def test_a_report_says_where_cpus_differ_in_sign() -> None:
    report = sample_report("predicted")
    (found,) = report.findings
    known = found.predictions[0]
    both = replace(found, predictions=(known, replace(known, cpu="zen5", change=-0.2)))
    said = "CPUs differ in sign: -20 % predicted time on zen5, +47 % on zen3."
    assert disagreements(replace(report, findings=(both,)))[-1] == said
    small = replace(found, predictions=(known, replace(known, cpu="zen5", change=-0.009)))  # the margin is 1 %
    assert not any("sign" in text for text in disagreements(replace(report, findings=(small,))))


def test_counted_predicted_and_why_stand_below_the_verdict() -> None:
    lines = rendered("terminal", "predicted").splitlines()
    labels = [line[:12].strip() for line in lines]
    verdict = next(i for i, line in enumerate(lines) if line.startswith("Yes: 672.6"))
    at = [labels.index(word) for word in ("counted", "predicted", "why", "doubt")]
    assert at == sorted(at) and verdict < at[0] <= verdict + 3
    assert "+47 % [+35, +61] time on zen3" in lines[at[1]]
    assert max(map(len, lines)) <= 96


def test_every_table_adds_up_as_printed() -> None:
    overview, *tables = prediction_tables(sample_report("predicted"))
    assert len(overview.rows) == 3 and len(tables) == 4
    for table in tables:
        figures = [[float(cell.text.replace(" ", "")) for cell in row[1:]] for row in table.rows]
        *parts, total = [[round(value * 100) for value in row] for row in figures]
        assert [sum(column) for column in zip(*parts, strict=True)] == total


def test_a_refusal_is_named_in_every_form_with_the_time_without_it() -> None:
    for form in ("terminal", "markdown"):
        text = " ".join(rendered(form, "predicted").split())
        assert "vpconflictd ymm, ymm" in text and "40.0" in text
    (finding,) = json.loads(rendered("json", "predicted"))["findings"]
    one = finding["predictions"][2]
    assert (one["change"], one["interval"], one["refused_code"]["code"]) == (None, None, "instructions-without-data")
    assert finding["predictions"][0]["refused"] is None


def test_a_mail_has_one_paragraph_of_what_was_predicted() -> None:
    paragraphs = [" ".join(p.split()) for p in rendered("mail", "predicted").split("\n\n")]
    (found,) = [p for p in paragraphs if p.startswith("Predicted time")]
    assert "+47% [+35, +61] on zen3 (38.0 -> 56.0 ns/page; calibrated on this CPU, 90% of held-out" in found
    assert "refused on skylake_sp (" in found and "In doubt on zen3: the kernels booted on qemu64" in found


def test_table_compares_prediction_with_measured_time() -> None:
    timed, (one,) = sample_report("timed"), sample_report("predicted").findings
    assert checked_table(timed) is None  # nothing was predicted
    report = replace(timed, findings=tuple(replace(f, predictions=one.predictions) for f in timed.findings))
    found = checked_table(report)
    assert found is not None
    assert [(row[2].text, row[5].text, row[7].text) for row in found.rows] == [
        ("zen3", "+66.7 %", "measured outside"),
        ("alderlake_p", "+66.7 %", "measured inside"),
    ]
    other = tuple(replace(f, machine=replace(f.machine, cpus=2), predictions=()) for f in report.findings)
    assert checked_table(replace(report, findings=(*report.findings, *other))) is not None, "of the other size of guest"
    more = tuple(replace(row, cpus=2) for row in report.beside)
    assert checked_table(replace(report, beside=more)) is None, "time of another size of guest"
    emulated = tuple(replace(row, clock="tcg") for row in report.beside)
    assert checked_table(replace(report, beside=emulated)) is None


def test_of_a_ladder_only_steps_are_shown_and_all_are_in_the_table() -> None:
    ladder = sample_report("ladder")
    (one,) = sample_report("predicted").findings
    report = replace(ladder, findings=tuple(replace(f, predictions=one.predictions) for f in ladder.findings))
    pairs = {(f.sides[0].kernel, f.sides[1].kernel) for f in shown(report)}
    assert pairs == {(s.from_kernel, s.to_kernel) for s in ladder.ladders[0].steps}
    assert len(prediction_tables(report)[0].rows) == 3 * len(ladder.findings)
    assert disagreements(sample_report("compare")) == ()


def test_functions_that_exchanged_code_are_one_and_hidden_instructions_are_counted() -> None:
    (one,) = sample_report("predicted").findings
    group = AttributionGroup(root="change_pte_range", functions=("change_pte_range", "prot_commit_flush_ptes"),
                             base=160.0, head=478.0, delta=318.0)  # fmt: skip
    itemised = replace(attribution(), groups=(group,))
    text = because(replace(one, attribution=itemised), one.predictions[0])
    assert "change_pte_range with 1 callee +11.2 (+318 instructions; issue width +7.8; dependencies +3.5; of it" in text
    hidden = PredictedCause(cause="atomics", base_ns=0.0, head_ns=0.0, head_instructions=192.0)
    rows = tuple(replace(row, causes=(*row.causes, hidden)) for row in one.predictions[0].rows)
    text = because(one, replace(one.predictions[0], rows=rows))
    assert "(+328 instructions, +192 of them in the shadow of atomics; issue width" in text


def test_percent_as_a_prediction_deserves() -> None:
    assert [rough(one) for one in (0.474, -0.0321, 0.0, 0.00001, None)] == ["+47", "-3.2", "0", "0", "-"]


def test_a_mail_names_refused_cpus_and_doubts_with_the_basis_of_each_cpu() -> None:
    report = sample_report("predicted")
    (one,) = (f for f in report.findings if f.predictions)
    known, _, refused = one.predictions
    cut = reason("trace-cut", one.kernels[0], complete=1, rounds=6)
    known = replace(known, doubts=(cut,))
    measured = replace(known, cpu="mine", calibrated=False, doubts=(reason("no-changes-measured"),))
    text = mail_text(report, replace(one, predictions=(known, measured, refused)))
    calibrated, _, others = text.partition(" on mine (")
    assert "calibrated on this CPU, 90% of held-out changes" in calibrated and "held-out" not in others
    assert "figures of this CPU were measured, but no changes: the interval is an estimate" in others
    assert "refused on skylake_sp (8.1% of the time is spent in instructions without data" in text
    assert "In doubt on zen3: v6.16.12: the trace reached its size limit: 1 of 6 rounds are complete." in text
    assert "In doubt on mine: the CPU was calibrated, but no changes were measured on it" in text


def test_a_mail_says_that_every_prediction_is_refused() -> None:
    report = sample_report("predicted")
    (one,) = (f for f in report.findings if f.predictions)
    assert ": refused on skylake_sp (" in mail_text(report, replace(one, predictions=one.predictions[2:]))
    assert mail_text(report, replace(one, predictions=())) == ""
    assert mail_text(report, replace(one, verdict="state-mismatch")) == ""


def test_a_cpu_without_measured_changes_is_not_said_to_have_published_data_only() -> None:
    """Some files have values that were measured on the CPU, although nobody calibrated it as a whole."""
    report = sample_report("predicted")
    (one,) = (f for f in report.findings if f.predictions)
    text = mail_text(report, one)
    assert "no changes were measured on this CPU: the interval is an estimate" in text
    assert "published data" not in text and "wide" not in text
