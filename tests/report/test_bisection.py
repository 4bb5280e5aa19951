# SPDX-License-Identifier: GPL-2.0-only
"""A bisection is reported in words, in tables and to a regression tracker."""

import pytest
from msgspec.structs import replace

from kassay.model.bisect import Candidate, Step
from kassay.questions.bisect import bisected as as_bisected
from kassay.questions.bisect import effort, log_table, path_table, section_texts, steps_table, verdict
from kassay.report.formats import formats
from kassay.tools.search.candidates import introduced
from tests.report.bisected_reports import bisected, bisected_by_state, bisection


def candidates(*names: str) -> tuple[Candidate, ...]:
    return tuple(Candidate(name=name, title=name, ref=f"debian:{name}") for name in names)


STEP = Step(last_without=0, first=1, before=300.0, after=600.0, change=1.0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("6.16.12", "6.17.8", "v6.16..v6.17"),
        ("6.16.3", "6.16.12", "v6.16.3..v6.16.12"),
        ("7.2.13", "7.3~rc7", "v7.2..v7.3-rc7"),
        ("6.16", "6.17", "v6.16..v6.17"),
        ("something", "6.17", ""),
    ],
)
def test_releases_are_told_as_mainline_tags(old: str, new: str, said: str) -> None:
    assert introduced("releases", candidates(old, new), STEP) == said


def test_a_commit_is_told_whole_and_a_doubt_as_a_range() -> None:
    commits = candidates("a" * 40, "b" * 40, "c" * 40)
    assert introduced("git", commits, STEP) == "b" * 40
    doubt = replace(STEP, first=2, between=(1,))
    assert introduced("git", commits, doubt) == f"{'a' * 12}..{'c' * 12}"
    assert introduced("list", commits, STEP) == ""


def test_the_culprit_comes_first_then_the_effort_the_others_and_the_doubts() -> None:
    one = replace(bisection("mm: batch"), skipped=(), open=())
    sure = replace(one, steps=(replace(one.steps[0], between=(), last_without=2), one.steps[1]))
    text = verdict(sure)
    assert text.startswith('dddddddddddd ("mm: batch") by A Developer <a@example.org> is the first commit with')
    places = [text.index(word) for word in ("301.6 -> 672.6 (+123.0 %)", "Found among 4 commits", "1 other step")]
    assert places == sorted(places)
    assert "In doubt" not in text and "In doubt: another change" in verdict(bisection())


def test_what_may_be_guilty_instead_is_named() -> None:
    assert "or in what could not be measured before it (cccccccccccc)" in verdict(bisection())


def test_the_effort_counts_outer_searches_as_well() -> None:
    outer = bisection()
    assert "measuring 8, ends included, through 1 merge, in 8 boots" in effort(replace(bisection(), within=outer))


def test_odds_are_said_where_there_is_doubt() -> None:
    found = replace(bisection(), clock="tcg", error_rate=0.01)
    timed = replace(found, steps=(replace(found.steps[0], odds=0.996),))
    assert "with 99.6% probability" in verdict(timed)
    assert any("odds are past 99%" in text for text in section_texts(timed))


def test_tables_have_every_step_every_boot_and_every_candidate_once() -> None:
    found = bisection()
    assert len(steps_table(found).rows) == 2
    assert len(log_table(found).rows) == 5
    assert [row[0].text for row in path_table(found).rows] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "mail", "json"])
def test_every_format_tells_of_the_culprit(name: str) -> None:
    text = formats()[name].render(bisected())
    assert "dddddddddddd" in text
    assert "bbbbbbbbbbbb..dddddddddddd" in text or name == "terminal"


def test_what_must_not_be_compared_is_not_called_slower() -> None:
    report = bisected()
    (found,) = report.findings
    refused = replace(report, verdict="they did not work on the same state.",
                      findings=(replace(found, verdict="state-mismatch"),))  # fmt: skip
    told = as_bisected(refused, bisection(), "kassay-out/bisect")
    assert "slower" not in told.title and "No claim is made of it" in told.verdict


def test_an_improvement_is_nothing_for_a_regression_tracker() -> None:
    found = bisection()
    faster = replace(found, steps=(replace(found.steps[0], before=672.6, after=301.6, change=-0.55),))
    assert any("regression tracker" in text for text in section_texts(found))
    assert not any("regression tracker" in text for text in section_texts(faster))


def test_a_mail_says_between_which_releases_a_range_of_tags_was_found() -> None:
    releases = tuple(
        Candidate(name=n, title=n, ref=f"debian:{n}") for n in ("6.12.9", "6.16.12", "6.17.8", "7.3", "7.4")
    )
    found = replace(bisection(), kind="releases", candidates=releases, introduced="v6.16..v6.17",
                    steps=(replace(bisection().steps[0], first=2, between=()),))  # fmt: skip
    text = " ".join(formats()["mail"].render(as_bisected(bisected(), found, "kassay-out/bisect")).split())
    assert "6.16.12 does not have it, 6.17.8 has, both as packaged by Debian" in text


@pytest.mark.parametrize("name", ["terminal", "markdown", "mail"])
def test_a_search_by_state_has_states_and_the_default_that_decides(name: str) -> None:
    text = " ".join(formats()[name].render(bisected_by_state()).replace("`", "").split())
    assert "6.17 is the first release with the change: range.AnonHugePages 0 kB -> 2048 kB." in text
    assert "thp.enabled went from madvise to always, and this default decides the state: with" in text
    assert "which does not decide the state: with sysctl.vm.swappiness=60 it is 2048 kB" in text
    assert "+100.0 %" not in text
