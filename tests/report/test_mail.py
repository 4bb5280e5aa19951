# SPDX-License-Identifier: GPL-2.0-only
"""A mail that a mailing list takes as it is, and a maintainer understands without a glossary."""

import email
import email.policy
import re
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.model.kernel import KernelIdentity
from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.report.formats import format_named
from kassay.report.mail.headline import headline, introduced, subject_line
from kassay.report.mail.layout import WIDTH
from kassay.report.mail.names import mail_names, release_tag
from kassay.report.mail.text import ascii_text
from tests.report.rendering import rendered
from tests.report.reports import KERNELS, SAMPLES

MAIL = format_named("mail")

# What only this project calls so; none of it may stand in a mail to people who do not know it.
_JARGON = ("cell", "cells", "gate", "perturbed", "finding", "findings", "plain run", "plain runs", "robust-only",
           "state-mismatch", "semantic-failure", "Evidence:", "journal", "experiment directory")  # fmt: skip


def _text(sample: str) -> str:
    return rendered("mail", sample)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _changed(sample: str, **changes: object) -> Report:
    """A sample whose first finding has other fields."""
    report = SAMPLES[sample]()
    first, *others = report.findings
    return replace(report, findings=(replace(first, **changes), *others))


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_mail_is_ascii_and_72_columns_wide(sample: str) -> None:
    text = _text(sample)
    assert text.isascii()
    for line in text.splitlines():
        bare = line.strip().removesuffix(" \\")
        quoted = bare.startswith("'") and bare.endswith("'")  # one word of a command, which cannot be broken
        assert len(line) <= WIDTH or quoted or " " not in bare, line


@pytest.mark.parametrize("sample", SAMPLES)
def test_no_mail_speaks_in_words_of_this_project(sample: str) -> None:
    text = _flat(_text(sample))
    assert [word for word in _JARGON if re.search(rf"\b{re.escape(word)}", text)] == []
    if re.search(r"\brounds?\b", text, re.IGNORECASE):
        assert "A round is one repetition of the work inside a boot" in text


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_mail_reader_finds_a_subject_and_a_body(sample: str) -> None:
    message = email.message_from_string(_text(sample), policy=email.policy.default)
    assert list(message) == ["Subject"] and not message.defects
    subject = " ".join(message["Subject"].split())
    assert subject == ascii_text(subject_line(SAMPLES[sample]()))
    assert re.match(r"\[(REGRESSION|PERF|RFC)\] ", subject)
    assert message.get_content().startswith("Hi,\n")


@pytest.mark.parametrize("sample", SAMPLES)
def test_git_reads_the_mail_as_one_message_whose_text_is_whole(sample: str, tmp_path: Path) -> None:
    message = "From: A Person <a@example.org>\n" + _text(sample)
    arguments = ["git", "mailinfo", "--no-scissors", "-k", str(tmp_path / "text"), str(tmp_path / "patch")]
    done = subprocess.run(arguments, input=message.encode(), capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.decode().splitlines()[2] == f"Subject: {ascii_text(subject_line(SAMPLES[sample]()))}"
    assert (tmp_path / "patch").read_text() == ""  # nothing in it looks like a patch
    assert "Written by kassay" in (tmp_path / "text").read_text()


def test_a_regression_is_announced_only_where_time_shows_it() -> None:
    timed = SAMPLES["timed"]()
    assert subject_line(timed) == "[REGRESSION] mprotect: 1.67x the time per page on v6.17.13 against v6.16.12"
    weaker_ones: tuple[dict[str, str], ...] = (
        {"evidence": "robust-only"}, {"evidence": "partial"}, {"verdict": "inconclusive"}, {"standing": "candidate"},
        {"standing": "alone"},
    )  # fmt: skip
    for weaker in weaker_ones:
        assert not subject_line(_changed("timed", **weaker)).startswith("[REGRESSION]")
    assert subject_line(SAMPLES["emulated_time"]()).startswith("[RFC]")
    for sample in ("imported", "robot", "refused", "empty", "one_side_missing"):
        assert subject_line(SAMPLES[sample]()).startswith("[RFC]")


def test_counts_alone_are_no_regression_and_counts_that_time_confirms_are() -> None:
    counts, timed = SAMPLES["compare"](), SAMPLES["timed"]()
    assert subject_line(counts) == "[PERF] mprotect: 2.23x the instructions per page on v6.17.13 against v6.16.12"
    machine = counts.findings[0].machine
    counts = replace(counts, kernels=timed.kernels)
    beside = replace(timed.beside[0], memory_bytes=machine.memory_bytes, cpus=machine.cpus)
    assert subject_line(replace(counts, beside=(beside,))).startswith("[REGRESSION]")
    for other in ({"time_verdict": "equivalent"}, {"clock": "tcg"}, {"time_evidence": "partial"}, {"metric": "touch"}):
        assert subject_line(replace(counts, beside=(replace(beside, **other),))).startswith("[PERF]")


def test_the_largest_step_of_a_ladder_is_the_subject() -> None:
    assert subject_line(SAMPLES["ladder"]()) == "[PERF] mprotect: 2.23x the instructions per page since v6.17.13"
    found = headline(SAMPLES["ladder"]())
    assert found is not None and found.step


def test_a_regression_says_since_when_it_is_known_and_nothing_else_does() -> None:
    assert "\n#regzbot introduced: v6.16..v6.17\n" in _text("timed")
    assert "\n#regzbot introduced: v6.12..v6.19\n" in _text("matrix")
    assert "(measured: 6.16.12 and 6.17.13 as packaged by Debian)" in _flat(_text("timed"))
    for sample in ("refused", "imported", "robot", "emulated_time", "empty", "one_side_missing", "hostile"):
        assert "#regzbot" not in _text(sample)
    # A robot reads lines that start with the command; nobody announced anything here.
    assert re.findall(r"(?m)^.*#regzbot.*$", _text("ladder")) == ["  the command is: #regzbot introduced: v6.16..v6.17"]
    for other in ({"verdict": "equivalent", "change": 0.0}, {"verdict": "improvement", "change": -0.5}):
        assert "#regzbot" not in MAIL.render(_changed("timed", **other))


def test_an_upstream_name_comes_from_the_release_and_only_from_it() -> None:
    def tag(release: str) -> str:
        return release_tag(KernelIdentity(ref="image:x", arch="x86_64", release=release, image_sha256=None))

    assert tag("6.17.13+deb13-cloud-amd64") == "v6.17.13"
    assert tag("6.17.0") == "v6.17" and tag("6.19.0-rc3") == "v6.19-rc3" and tag("7.0-custom") == "v7.0"
    assert tag("unknown") == "" and release_tag(None) == ""


def test_mail_names_archive_kernels_by_release() -> None:
    assert list(mail_names(SAMPLES["matrix"]()).values()) == ["v6.12.77", "v6.19.9", "mm-unstable"]


def test_two_kernels_never_share_a_name() -> None:
    for sample in SAMPLES.values():
        called = list(mail_names(sample()).values())
        assert len(set(called)) == len(called)


def test_the_answer_of_a_ladder_has_its_figures_and_its_plateaus() -> None:
    text = _flat(_text("ladder"))
    assert "executes 2.23x as many instructions per page on v6.17.13 as on v6.16.12: 672.6 instead of 301.6." in text
    assert "There is another step of +3.9% from v6.17.13 to v6.19.14." in text
    assert "v6.12.117 and v6.16.12 cost the same to the digit." in text
    assert "They are not time" in text


def test_a_mail_leads_with_the_regression_of_a_ladder_whose_largest_step_is_an_improvement() -> None:
    report = SAMPLES["ladder"]()
    first, *others = report.ladders
    steps = (
        replace(first.steps[0], from_kernel=KERNELS[0], to_kernel=KERNELS[1], change=-0.6, verdict="improvement"),
        *first.steps,
    )
    text = _flat(MAIL.render(replace(report, ladders=(replace(first, steps=steps), *others))))
    assert text.index("on v6.17.13 as on v6.16.12") < text.index("another step of -60.0% from v6.12.117 to v6.16.12")


def test_the_table_has_every_kernel_with_its_boots_and_change() -> None:
    lines = [line.split() for line in _text("ladder").splitlines()]
    assert ["v6.17.13", "672.6", "2+2", "+123.0%", "<-"] in [line[:5] for line in lines]
    assert ["v7.0.13", "703.0", "2+2", "+0.6%"] in [line[:4] for line in lines]


def test_a_timed_mail_says_how_many_boots_by_which_test_and_what_was_checked() -> None:
    text = _flat(_text("timed"))
    for said in (
        "(10 and 10 boots; 98.4% interval of the change: +61.7% to +71.7%)",
        "made in 5 blocks with the kernels in random order inside each",
        "after 6, 10, 14, 18 and 24 boots of each kernel, never in between;",
        "at 10 the main figure was decided, so it ended early;",
        "no difference was found; a difference larger than 2.9% would have shown",
        "p <= 0.016", "Here p = 0.00026", "v6.16.12 was also compared with itself",
        "1 of 11 boots failed on v6.16.12, 0 of 10 on v6.17.13 (Fisher's exact test, p = 1:",
        "the instructions change by +123.0% (2 and 2 boots), the time by +66.7%",
    ):  # fmt: skip
        assert said in text


def test_a_setting_among_others_says_how_it_stands_among_them() -> None:
    text = _flat(_text("matrix"))
    assert (
        "among all comparisons measured, this change stands when every comparison is allowed to err together"
        in text.lower()
    )


def test_a_control_that_differs_from_itself_is_said_to_spoil_the_session() -> None:
    report = SAMPLES["timed"]()
    timing = report.findings[0].timing
    assert timing is not None and timing.control is not None
    spoiled = replace(timing, control=replace(timing.control, passed=False))
    assert "the same kernel differs from itself" in _flat(MAIL.render(_changed("timed", timing=spoiled)))


def test_equal_kernels_are_told_with_the_difference_that_may_still_be_there() -> None:
    report = SAMPLES["timed"]()
    timing = report.findings[0].timing
    assert timing is not None
    same = _changed("timed", verdict="equivalent", change=0.001, interval=(-0.007, 0.009),
                    timing=replace(timing, bound=0.009))  # fmt: skip
    text = _flat(MAIL.render(same))
    assert "costs the same on v6.16.12 and on v6.17.13" in text and "no difference larger than 0.9%" in text
    assert subject_line(same) == "[PERF] mprotect: time per page the same on v6.16.12 and v6.17.13"


def test_a_refused_comparison_says_why_in_words_and_shows_both_states_but_no_cost() -> None:
    text = _flat(_text("refused"))
    assert "v6.12.117 and v6.19.14 cannot be compared, because they did not work on the same state" in text
    assert "AnonHugePages before 0 kB 16384 kB" in text
    assert "How sure" not in text and "301.6" not in text


def test_mail_gives_spread_of_boots_if_known() -> None:
    def said(floor: float | None) -> str:
        return _flat(MAIL.render(_changed("compare", floor=floor)))

    assert "all boots of one kernel agree within 0.4%" in said(0.004)
    assert "all boots of one kernel agree to the digit" in said(0.0)
    assert "all boots of one kernel agree" not in said(None)


def test_a_step_past_a_kernel_without_a_value_is_not_since_the_kernel_behind_it() -> None:
    report = SAMPLES["ladder"]()
    ladder = next(one for one in report.ladders if one.primary)
    topic = headline(report)
    assert topic is not None
    (base, head), of = topic.finding.kernels, {point.kernel: point for point in ladder.points}
    failed = next(replace(point, value=None) for point in ladder.points if point.kernel not in (base, head))
    points = (of[base], failed, of[head])
    gap = replace(report, ladders=(replace(ladder, points=points, steps=ladder.steps[:1]),))
    assert headline(gap) == replace(topic, step=False)
    assert subject_line(gap) == "[PERF] mprotect: 2.23x the instructions per page on v6.17.13 against v6.16.12"


def test_how_sure_is_said_of_all_kernels_of_a_ladder() -> None:
    report = SAMPLES["ladder"]()
    findings = tuple(replace(f, floor=0.0) for f in report.findings)
    (ladder, *others), first = report.ladders, report.ladders[0].points[0]

    def said(**changes: object) -> str:
        changed = replace(first, side=replace(first.side, **changes))
        ladders = (replace(ladder, points=(changed, *ladder.points[1:])), *others)
        floor = 0.004 if "perturbed" in changes else 0.0
        return _flat(MAIL.render(replace(
            report, ladders=ladders, findings=(replace(findings[0], floor=floor), *findings[1:])
        )))  # fmt: skip

    runs = first.side.runs
    assert "both gave the same figure to the digit" in said() and "of one kernel agree to the digit" in said()
    assert "they did not all give the same figure" in said(runs=(runs[0], runs[0] + 1))
    assert "of one kernel agree within 0.4%" in said(perturbed=(runs[0] * 1.004,) * 2)
    once = said(runs=runs[:1], perturbed=())
    names = list(mail_names(report).values())
    others_ = f"{', '.join(names[1:-1])} and {names[-1]}"
    assert f"{names[0]} was booted once and {others_} twice with nothing changed" in once
    assert f"that a second boot of {names[0]} would give the same is not shown" in once
    assert f"In two further boots of {others_} and none of {names[0]} things were moved" in once


def test_mail_says_once_what_was_not_repeated_and_not_moved() -> None:
    report = SAMPLES["ladder"]()
    weak = tuple(
        reason(code, kernel) for kernel in report.findings[0].kernels for code in ("one-plain-run", "no-perturbed-run")
    )
    ladders = tuple(
        replace(ladder, points=tuple(
            replace(point, side=replace(point.side, runs=point.side.runs[:1], perturbed=())) for point in ladder.points
        ))
        for ladder in report.ladders
    )  # fmt: skip
    findings = tuple(replace(f, reasons=weak, evidence="partial") for f in report.findings)
    text = _flat(MAIL.render(replace(report, ladders=ladders, findings=findings)))
    assert (
        "Each kernel was booted once with nothing changed; that a second boot would give the same is not shown" in text
    )
    assert "No boot had things moved that should not matter, so the noise floor is unknown." in text
    assert "only one unmodified run" not in text and "modified layout" not in text


def test_failed_boots_are_counted_by_kernel_and_end() -> None:
    assert "Attempts that failed: 6 on v6.17.13 (panic) and 2 on v6.17.13 (timeout)" in _flat(_text("one_side_missing"))


def test_a_matrix_shows_each_setting_and_how_much_of_the_gap_is_closed() -> None:
    lines = [line.split() for line in _text("matrix").splitlines()]
    assert ["1", "336.1", "532.0", "497.0", "10", "-6.6%", "17.9%"] in lines
    text = _flat(_text("matrix"))
    assert "All 3 settings together, iteration from v6.12.77 to v6.19.9: +60.0%" in text and "3 of 3 stand" in text


def test_mail_names_tool_file_and_direction_of_imported_values() -> None:
    text = _flat(_text("imported"))
    assert "measured elsewhere" in text and "higher is better" in text and "results.json (pyperf 2.10.0" in text
    assert "kassay import results.json" in text and "kassay compare" not in text


def test_the_functions_of_the_headline_add_up() -> None:
    lines = _text("compare").splitlines()
    first = next(
        i for i, line in enumerate(lines) if line.split() == ["function", "v6.16.12", "v6.17.13", "difference"]
    )
    rows = [line.split() for line in lines[first + 1 : lines.index("", first)]]
    assert rows[-1] == ["together", "301.6", "672.6", "+371.0"]
    assert round(sum(float(row[-1]) for row in rows[:-1]), 1) == 371.0


def test_the_state_is_shown_field_by_field_on_all_kernels() -> None:
    text = _text("ladder")
    assert "read before and after the" in text and "  Present = 16384 pages / 16384 pages\n" in text
    assert "  AnonHugePages = 0 kB / 0 kB\n" in text


def test_three_commands_repeat_it_at_most() -> None:
    for sample in SAMPLES:
        block = _text(sample).partition("To reproduce")[2]
        assert len(re.findall(r"(?m)^  kassay ", block)) <= 3
    assert "kassay compare mprotect debian:6.16.12 debian:6.17.13" in _flat(_text("ladder")).replace("\\ ", "")


def test_a_series_that_is_a_regression_began_with_its_patches() -> None:
    series = SAMPLES["series"]()
    slower = replace(series, findings=tuple(replace(f, verdict="regression") for f in series.findings))
    assert headline(slower) is not None and introduced(slower) == []
