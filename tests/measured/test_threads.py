# SPDX-License-Identifier: GPL-2.0-only
"""The pages of the five threads have the figures that were measured, and these bear the verdicts."""

import re
from pathlib import Path

import pytest
from benchmarks.threads.measure import MEASURED, paths_of, stored
from benchmarks.threads.pages import PAGES, holds, index, page
from benchmarks.threads.questions import Thread, load, names
from benchmarks.threads.reply import reply
from benchmarks.threads.select import compute, select

THREADS = [load(name) for name in names()]
ROOT = Path(__file__).parents[2]
BY_NAME = pytest.mark.parametrize("thread", THREADS, ids=[thread.name for thread in THREADS])


@BY_NAME
def test_page_has_the_figures_that_are_stored(thread: Thread) -> None:
    assert (ROOT / PAGES / f"{thread.name}.md").read_text() == page(thread, stored(thread))


def test_index_has_the_figures_that_are_stored() -> None:
    assert (ROOT / PAGES / "README.md").read_text() == index(THREADS, {each.name: stored(each) for each in THREADS})


@BY_NAME
def test_figures_bear_every_verdict(thread: Thread) -> None:
    assert [question.asked for question in thread.question if not holds(question, stored(thread))] == []


@BY_NAME
def test_stored_figures_are_those_that_questions_ask_for(thread: Thread) -> None:
    kept = stored(thread)
    assert {run.name: set(kept[run.name].figures) for run in thread.run} == {
        run.name: set(paths_of(thread, run)) for run in thread.run
    }
    assert all(kept[run.name].command == thread.shown(run) for run in thread.run)


@BY_NAME
def test_thread_has_one_cheap_run_a_draft_and_a_reason_for_each_missing_answer(thread: Thread) -> None:
    assert [run.name for run in thread.run if run.test] == ["small"]
    draft = (ROOT / PAGES / f"mail-{thread.name}.txt").read_text()
    assert draft.startswith("Subject: ") and not re.search(r"^(To|Cc): ", draft, re.M)
    assert all(question.answer for question in thread.question)


@BY_NAME
def test_reply_to_a_thread_answers_its_questions_in_plain_mail(thread: Thread) -> None:
    text = (ROOT / PAGES / f"reply-{thread.name}.txt").read_text()
    assert text == reply(thread, stored(thread))
    assert text.isascii() and text.startswith("Subject: Re: ")
    lines = text.splitlines()
    commands = [line for line in lines if line.startswith("  kassay ")]
    assert all(len(line) <= 72 or line in commands or line.startswith("Subject: ") for line in lines)
    flat = " ".join(text.split())
    assert commands and all(
        question.asked.split("(")[0].strip() in flat for question in thread.question if question.top
    )


def test_five_answers_stand_at_the_top_and_change_what_a_thread_says() -> None:
    top = [question for thread in THREADS for question in thread.question if question.top]
    assert len(top) >= 5
    assert {question.verdict for question in top} <= {"corrects", "goes beyond"}


def test_stored_figures_are_small() -> None:
    assert sum(path.stat().st_size for path in MEASURED.iterdir()) < 200_000


def test_select_follows_names_lists_and_fields_with_dots() -> None:
    answer = {"ladders": [{"metric": "a", "in": {"cpus": 1}, "v": 3.0}, {"metric": "a", "in": {"cpus": 2}, "v": 4.0}]}
    assert select(answer, "ladders[metric=a,in.cpus=2].v") == 4.0
    assert select(answer, "ladders[0].v") == 3.0
    assert select(answer, "ladders#") == 2
    assert select([{"range.vmas": "1"}], '[0]["range.vmas"]') == "1"
    assert select({"rows": [{"set": [{"name": "size", "value": "4"}], "v": 2}]}, "rows[set.size=4].v") == 2


@pytest.mark.parametrize("path", ["missing", "list[name=none].v", "list[7].v", "list"])
def test_select_names_the_path_that_leads_nowhere(path: str) -> None:
    with pytest.raises(ValueError, match=re.escape(path)):
        select({"list": [{"name": "one", "v": 1}]}, path)


def test_compute_takes_arithmetic_and_nothing_else() -> None:
    assert compute(" (new - old) / old > 0.5 and old < 2", {"new": 3.0, "old": 1.0}) == 1
    assert compute("-a * 2", {"a": 3.0}) == -6
    with pytest.raises(ValueError, match="not arithmetic"):
        compute("open('x')", {})
