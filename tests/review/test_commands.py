# SPDX-License-Identifier: GPL-2.0-only
"""Words of `kassay review` and `kassay ci` that are refused before anything is built, and stored answers."""

import json
from pathlib import Path

import pytest

from kassay.commands._show import keep_answer
from kassay.effects.lock import host_locked
from kassay.labs.review.commands import _answer
from kassay.labs.review.commands._options import Reviewing
from kassay.labs.review.given import Given, Range
from kassay.labs.review.report import REVIEW
from tests.building._repository import series
from tests.commands.conftest import Kassay
from tests.review.reviews import cell, review


@pytest.mark.parametrize("command", ["review", "ci"])
def test_kernels_that_are_built_have_no_flavour(kassay: Kassay, command: str) -> None:
    ended = kassay(command, "a..b", "--flavour", "nope")
    assert ended.status == 2
    assert "--flavour" in ended.err


@pytest.mark.parametrize("command", ["review", "ci"])
def test_a_host_that_measures_time_is_refused_before_anything_is_built(
    kassay: Kassay, cache: Path, command: str
) -> None:
    with host_locked(timed=True):
        ended = kassay(command, "a..b")
    assert ended.status == 3
    assert "this host's clock is in use by another kassay (process" in ended.err


def test_b4_gets_a_refusal_as_a_check(kassay: Kassay, cache: Path) -> None:
    with host_locked(timed=True):
        ended = kassay("review", "a..b", "--b4")
    (check,) = json.loads(ended.out)
    assert (ended.status, check["tool"], check["status"]) == (3, "kassay", "fail")
    assert check["summary"].startswith("this host's clock is in use")
    assert check["details"].startswith("wait for it to end")


def test_a_stored_answer_is_shown_again_in_another_format(kassay: Kassay, tmp_path: Path) -> None:
    keep_answer(review(cell("regression", 0.5, order="9")), REVIEW, tmp_path, "review")
    ended = kassay("report", str(tmp_path), "--exit-code")
    assert (ended.status, ended.err) == (1, "")
    assert "Largest loss: folio_fork order=9" in ended.out
    mail = kassay("report", str(tmp_path), "--format", "mail", "--in-reply-to", "<1@b>")
    assert "In-Reply-To: <1@b>" in mail.out
    assert kassay("report", str(tmp_path), "--format", "changelog").status == 0
    assert "--format: unknown 'pdf'" in kassay("report", str(tmp_path), "--format", "pdf").err
    assert kassay("report", str(tmp_path), "--rules", "seed").status == 2
    (tmp_path / "review.json").write_text("{}")
    assert kassay("report", str(tmp_path)).status == 2


def test_help_lists_every_format_of_a_review(kassay: Kassay) -> None:
    told = " ".join(kassay("review", "--help").out.split())
    names = sorted(form.name for form in REVIEW.forms())
    assert f"{', '.join(names[:-1])} or {names[-1]}" in told.replace("│ ", "").replace(" │", "")


def test_earlier_version_may_be_a_range(kassay: Kassay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, _ = series(tmp_path, monkeypatch)
    monkeypatch.setattr(_answer, "find_base", lambda patches, **words: pytest.fail(str(words["name"])))
    ended = kassay("review", "HEAD~1..HEAD", "--tree", str(tree), "--previous", "HEAD~2..gone")
    assert (ended.status, "no revision 'gone'" in ended.err) == (2, True)
    ended = kassay("review", "HEAD~1..HEAD", "--tree", str(tree), "--previous", "gone.mbx")
    assert (ended.status, "gone.mbx: no such file or directory" in ended.err) == (2, True)
    with pytest.raises(pytest.fail.Exception, match=r"HEAD~1\.\.HEAD"):  # both are read before the base is searched
        kassay("review", "HEAD~1..HEAD", "--tree", str(tree), "--previous", "HEAD~2..HEAD")


def test_the_command_to_repeat_names_commits() -> None:
    commits = Range(Path("linux"), ("base", "HEAD"), "1" * 40, "2" * 40)
    options = Reviewing(previous="base..v1", budget="1m", build="cc=gcc-14")
    words = "--build cc=gcc-14 --previous 111111111111..222222222222 --budget 1m"
    earlier = Given(Path("v1.mbx"), "build:linux@1", commits)
    command = _answer._command("base..HEAD", commits, options, earlier, "build:linux@1")
    assert command == f"kassay review 111111111111..222222222222 {words}"
    command = _answer._command("s.mbx", None, Reviewing(budget="1m"), None, "build:linux@1")
    assert command == "kassay review s.mbx --base build:linux@1 --budget 1m"


def test_base_without_its_kind_is_refused_with_the_reference_to_write(kassay: Kassay, cache: Path) -> None:
    ended = kassay("review", str(Path(__file__).parents[1] / "data/reviews/unexecuted.mbx"), "--base", "7.3", "--plan")
    assert (ended.status, "write --base build:debian-source:7.3, or build:TREE@REV" in ended.err) == (2, True)
