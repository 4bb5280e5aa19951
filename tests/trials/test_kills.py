# SPDX-License-Identifier: GPL-2.0-only
"""A trial must notice a run that was lost or doubled, a process or a file that was left, and another answer."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.trials import commands, kills, page, totals
from benchmarks.trials.campaign import FIND, Result, run
from benchmarks.trials.commands import Command, kept
from msgspec.structs import replace

from kassay.journal.journal import append, append_line, open_journal
from kassay.model.records import to_json
from tests.journal.test_journal import record

SCRIPT = "import sys, time; print(sys.argv[1]); time.sleep(float(sys.argv[2]))"


def test_runs_of_all_journals_are_kept_in_order_and_one_made_twice_is_noticed(tmp_path: Path) -> None:
    for place in (tmp_path / "a", tmp_path / "b"):
        place.mkdir()
        open_journal(place / "journal.jsonl", "0" * 64)
        append(place / "journal.jsonl", record("r-0"))
    append(tmp_path / "b" / "journal.jsonl", record("r-1", outcome="timeout"))
    assert kept(tmp_path) == ("a/r-0", "b/r-0")
    append(tmp_path / "b" / "journal.jsonl", record("r-0", attempt=2))
    with pytest.raises(AssertionError, match="made twice"):
        kept(tmp_path)


def test_a_damaged_journal_is_noticed(tmp_path: Path) -> None:
    open_journal(tmp_path / "journal.jsonl", "0" * 64)
    append_line(tmp_path / "journal.jsonl", record())
    data = (tmp_path / "journal.jsonl").read_bytes()
    (tmp_path / "journal.jsonl").write_bytes(data.replace(b"a-0", b"a-1"))
    with pytest.raises(AssertionError, match="damaged"):
        kept(tmp_path)


def test_a_process_with_the_mark_is_found_while_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kills, "_GONE_S", 0.2)
    mark = f"test:{os.getpid()}"
    with subprocess.Popen(("sleep", "60"), env={**os.environ, kills.MARK: mark}) as child:
        try:
            while not Path(f"/proc/{child.pid}/environ").read_bytes():  # execve() closes files before it is there
                time.sleep(0.01)
            assert kills.left_processes(mark) == ["sleep 60 "]
            assert kills.left_processes(f"{mark}0") == []
        finally:
            child.kill()
    assert kills.left_processes(mark) == []


class Scripted(NamedTuple):
    """The command "a" prints the first word and lasts so many seconds as the second says."""

    words: list[str]
    commands: dict[str, Command]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    words = ["good", "0.3"]

    def asked(place: Path, out: Path) -> tuple[str, ...]:
        out.mkdir(exist_ok=True)
        return tuple(words)

    monkeypatch.setattr(kills, "argv", lambda *given: ["python3", "-c", SCRIPT, *given])
    known = {"a": Command(asked, lambda out, text: text)}
    monkeypatch.setattr(kills, "COMMANDS", known)
    return Scripted(words, known)


def trial(directory: Path) -> tuple[str, str]:
    ended = run(directory, "kills", "a", 0, lambda random: kills._killed(directory, "a", 0, random))
    return ended.outcome, ended.detail


@pytest.mark.slow
def test_the_answer_must_be_that_of_an_undisturbed_command(tmp_path: Path, scripted: Scripted) -> None:
    assert trial(tmp_path) == ("ok", "")
    scripted.words[0] = "other"
    outcome, detail = trial(tmp_path)
    assert outcome == FIND and "another answer" in detail


@pytest.mark.slow
def test_a_file_that_was_begun_and_left_is_noticed(tmp_path: Path, scripted: Scripted) -> None:
    kills.undisturbed(tmp_path, "a")

    def asked(place: Path, out: Path) -> tuple[str, ...]:
        out.mkdir(exist_ok=True)
        (out / ".report.partial").touch()
        return tuple(scripted.words)

    scripted.commands["a"] = Command(asked, lambda out, text: text)
    assert trial(tmp_path) == (FIND, "AssertionError: partial files were left: ['.report.partial']")


def test_a_command_is_killed_in_the_middle_or_has_ended(tmp_path: Path, scripted: Scripted) -> None:
    command, env = scripted.commands["a"], kills.environment(tmp_path, "x")
    scripted.words[1] = "60"
    began = time.monotonic()
    assert kills._kill_one(command, tmp_path, tmp_path / "out", env, 0.1, group=True) == 1
    assert time.monotonic() - began < 50
    scripted.words[1] = "0"
    assert kills._kill_one(command, tmp_path, tmp_path / "out", env, 30, group=False) == 0


def test_each_command_has_words_and_its_own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.run", lambda *words, **options: None)
    monkeypatch.setattr(commands, "_repository", lambda tree: None)
    monkeypatch.setattr(commands, "_nominated", lambda archive: "0123abcd")
    for command in commands.COMMANDS.values():
        assert any(str(tmp_path / "out") in word for word in command.words(tmp_path, tmp_path / "out"))


def test_a_lock_is_no_file_that_was_begun(tmp_path: Path) -> None:
    for name in (".site.lock", "report.json", ".report.json.qmg8ja63", "trace.partial"):
        (tmp_path / name).touch()
    assert sorted(kills._partial(tmp_path)) == [".report.json.qmg8ja63", "trace.partial"]


def test_wall_times_and_places_are_no_part_of_an_answer(tmp_path: Path) -> None:
    report = {"seconds": 1.5, "counters": {"a": 1}, "boot_s": 2, "inner": [{"directory": "/x", "b": 2}]}
    assert commands._json(tmp_path, json.dumps(report)) == {"counters": {"a": 1}, "inner": [{"b": 2}]}


KINDS = ("campaigns", "kills", "faults", "selves", "fuzz")


def test_the_page_says_what_was_reached_and_found_in_all_campaigns(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    results = (Result(3), Result(2, FIND, "a run was lost"), Result(0, "not possible", "no arm64"))
    for number, result in enumerate(results):
        for kind in ("kills", "selves"):
            run(tmp_path / "a", kind, "compare", number, lambda random, r=result: r)  # type: ignore[misc]
    where, kept = tmp_path / "page.md", tmp_path / "kept"
    where.write_text("".join(f"<!-- trials: {k} -->\n<!-- end of trials: {k} -->\n" for k in KINDS))
    for _ in range(2):  # written again, a campaign replaces itself
        page.write(tmp_path / "a", where, kept)
    text = where.read_text()
    assert "| compare | 3 | 5 | 1 | 1 | not possible 1 |" in text
    assert "5 of 1000 kills" in text and "- compare: a run was lost (trial 1)" in text
    assert "0 executions" in text
    assert "2 of 1000 comparisons" in text  # the last trial compared nothing
    earlier = totals.saved(kept)[0]
    (kept / "0.json").write_bytes(to_json(replace(earlier, began="2026-01-01T00:00:00")))
    page.write(tmp_path / "a", where, kept)
    assert "| compare | 6 | 10 | 2 | 2 | not possible 2 |" in where.read_text()
    assert "| 2026-01-01T00:00:00 | 0.0 | 5 | 0 | 2 | 0 |" in where.read_text()
