# SPDX-License-Identifier: GPL-2.0-only
"""Words of a review: what stands first, what it claims, its exit status, and what b4 and a changelog get."""

import json
from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.labs.review.b4 import b4_checks, tracked_range
from kassay.labs.review.exit_status import exit_status, must_be_read
from kassay.labs.review.model import SCREENED, Cell, CheckedClaim, Corner, Left, PredictedChange, Previous, Try
from kassay.labs.review.report import REVIEW
from kassay.labs.review.report._corner_words import corners
from kassay.labs.review.report._words import changelog, letter, portable, reach, spans_of, unexecuted, verdict
from kassay.labs.review.review import _spots
from kassay.model.lines import EXECUTED, NOT_EXECUTED
from tests.review.reviews import cell, function, review

LOSS, GAIN, EQUAL = cell("regression", 0.5, order="9"), cell("improvement", -0.1), cell("equivalent", 0.0, order="4")


def text(form: str, **fields: object) -> str:
    return REVIEW.form(form).render(structs.replace(review(LOSS, GAIN, EQUAL), **fields))


def test_the_largest_loss_and_gain_are_named_and_all_phases_are_counted() -> None:
    sentences = verdict(review(EQUAL, GAIN, LOSS))
    assert sentences[0] == "Largest loss: folio_fork order=9, +50.0 % (100 to 150 instructions/page)."
    assert sentences[1] == "Largest gain: folio_fork, -10.0 % (100 to 90 instructions/page)."
    assert sentences[2] == "Of 3 phases in 3 settings, 1 cost more, 1 cost less and 1 are equal within 1 %."


def test_changes_below_the_margin_are_counted() -> None:
    small = cell("equivalent", 0.004, order="2")
    within = structs.replace(cell("equivalent", 0.004, order="3"), floor=0.005)
    assert verdict(review(EQUAL, small, within))[2] == (
        "Of 3 phases in 3 settings, 3 are equal within 1 % (1 of them cost more)."
    )


def test_settings_that_ran_once_have_no_verdict() -> None:
    once = cell(SCREENED, 0.9, n=1)
    assert verdict(review(once)) == [
        "No setting was measured, so there is no verdict.",
        "Run once on each kernel: folio_fork, +90.0 % (100 to 190 instructions/page).",
    ]
    assert verdict(review(cell(SCREENED, 0.0, n=1))) == ["No setting was measured, so there is no verdict."]
    assert "Run once on each kernel, no verdict" in REVIEW.form("terminal").render(review(once))


def test_a_setting_that_ran_once_or_was_refused_is_no_measured_one() -> None:
    once = cell(SCREENED, 0.3, n=1)
    crashed = structs.replace(cell("incomplete", None, order="9", n=1), n_head=0)
    found = review(once, crashed, functions=(function("warm", EXECUTED, executed=(1,)),))
    assert verdict(found) == [
        "No setting was measured, so there is no verdict.",
        "Run once on each kernel: folio_fork, +30.0 % (100 to 130 instructions/page).",
        "Of 1 phase in 1 setting, 1 are refused.",
    ]
    assert reach(found)[0] == "1 setting ran on both kernels."
    assert verdict(review(cell("equivalent", 0.0, n=1)))[0] == "No setting was measured, so there is no verdict."
    assert verdict(review(cell("regression", 0.3, n=1)))[0].startswith("Largest loss: folio_fork, +30.0 %")


def test_a_setting_without_a_verdict_may_lose() -> None:
    open_ = cell("inconclusive", 0.09, order="2")
    assert verdict(review(open_)) == [
        "No measured setting has a verdict.", "Of 1 phase in 1 setting, 1 are not decided.",
    ]  # fmt: skip
    assert verdict(review(EQUAL, open_)) == [
        "No setting with a verdict loses.", "No setting with a verdict gains.",
        "Of 2 phases in 2 settings, 1 are equal within 1 % and 1 are not decided.",
    ]  # fmt: skip
    unstable = structs.replace(LOSS, evidence="unstable")
    assert verdict(review(unstable))[0] == "No measured setting has a verdict."
    assert verdict(review(EQUAL))[0] == "No measured setting loses."


def test_removed_lines_are_named_as_such() -> None:
    part = structs.replace(
        function("f", EXECUTED, executed=(12,), never=(7, 12, 14)), removed_not_executed=(12, 14)
    )  # fmt: skip
    gone = structs.replace(function("g", NOT_EXECUTED, never=(3,)), removed_not_executed=(3,))
    assert unexecuted(review(functions=(gone, part))) == [
        "mm/x.c, removed 3 (g(), patch 1)",
        "mm/x.c:7, removed 12,14 (f(), patch 1); other changed lines of the function ran",
    ]
    assert "7, removed 12,14" in text("terminal", functions=(part,))
    assert changelog(review(functions=(part,))) == "Changed lines that no setting executed: mm/x.c:7, removed 12,14."


def test_lines_that_nothing_executed_stand_before_the_answer() -> None:
    idle = function("cold", NOT_EXECUTED, never=(7, 8, 12))
    part = function("warm", EXECUTED, executed=(1,), never=(2,))
    answer = text("terminal", functions=(idle, part))
    assert unexecuted(review(functions=(idle, part))) == [
        "mm/x.c:7-8,12 (cold(), patch 1)", "mm/x.c:2 (warm(), patch 1); other changed lines of the function ran",
    ]  # fmt: skip
    assert answer.index("mm/x.c:7-8,12") < answer.index("Largest loss")


def test_functions_without_code_are_not_counted_as_unexecuted() -> None:
    found = review(LOSS, functions=(function("bare", "no-code"), function("warm", EXECUTED, executed=(1,))))
    assert unexecuted(found) == []
    assert "Of 1 changed function with code, 1 was executed in changed lines." in reach(found)


def test_the_same_image_says_in_which_configuration() -> None:
    (sentence,) = verdict(review(same_image=True))
    assert "With gcc 12.2.0 and the configuration lab" in sentence
    assert "Another configuration may compile its lines: --build config=distro." in sentence
    found = review(same_image=True)
    arm64 = structs.replace(found.patches[0], files=("arch/arm64/mm/fault.c",))
    (sentence,) = verdict(structs.replace(found, patches=(arm64,)))
    assert "its lines: --build config=distro. Lines of another architecture need --arch." in sentence


def test_a_symbol_that_the_series_adds_and_no_kernel_has_is_named() -> None:
    found = structs.replace(review(same_image=True), switched_off=("CONFIG_NEW",))
    assert (
        verdict(found)[0]
        == verdict(structs.replace(found, same_image=False))[-1]
        == (
            "The series adds CONFIG_NEW, off in these kernels, so nothing is known of code that needs it: "
            "--build config=lab+CONFIG_NEW=y."
        )
    )
    assert must_be_read(found) and not must_be_read(review(same_image=True))


def test_a_gain_holds_in_the_corners_that_have_it() -> None:
    found = structs.replace(
        review(GAIN),
        corners=(
            Corner(name="cc=gcc-13", cells=(GAIN,)), Corner(name="cc=clang-14", same_image=True),
            Corner(name="arch=arm64", problem="no compiler"), Corner(name="cc=gcc-12", same_as="the usual build"),
        ),
    )  # fmt: skip
    assert corners(found) == ["The gain of folio_fork holds in 1 of 2 corners; not in cc=clang-14."]
    assert "cc=gcc-12 the kernels of the usual build" in " ".join(REVIEW.form("terminal").render(found).split())


def test_a_corner_that_decides_nothing_on_the_loss_is_not_counted() -> None:
    found = structs.replace(
        review(LOSS),
        corners=(
            Corner(name="cc=gcc-13", cells=(LOSS,)),
            Corner(name="cc=gcc-14", cells=(cell("equivalent", 0.0, order="9"),)),
            Corner(name="arch=arm64", cells=(cell("different-work", None, order="9"),)),
            Corner(name="config=distro", cells=(GAIN,)),
            Corner(name="cc=clang-19", cells=(cell("inconclusive", 0.1, order="9"),)),
        ),
    )  # fmt: skip
    (sentence,) = corners(found)
    assert sentence == (
        "The loss of folio_fork order=9 holds in 1 of 2 corners; not in cc=gcc-14; "
        "not decided in arch=arm64, config=distro and cc=clang-19."
    )
    none = structs.replace(found, corners=found.corners[2:3])
    assert corners(none) == ["The loss of folio_fork order=9 is not decided in any corner (arch=arm64)."]


def test_the_named_loss_and_gain_go_into_the_corners() -> None:
    open_ = [cell("inconclusive", change, order=order) for change, order in ((0.9, "4"), (-0.9, "2"))]
    assert [key[1][0].value for key in _spots(review(*open_, LOSS, GAIN))] == ["2", "4", "9", "0"]
    assert [key[1][0].value for key in _spots(review(EQUAL, LOSS, GAIN))] == ["0", "9"]
    assert [key[1][0].value for key in _spots(review(EQUAL))] == ["4"]


def test_a_gain_in_time_is_certain_where_the_whole_interval_is_one() -> None:
    given = tuple(
        PredictedChange(cpu=cpu, change=change, interval=interval)
        for cpu, change, interval in (
            ("zen3", -0.2, (-0.3, -0.1)), ("zen1", -0.1, (-0.2, 0.1)), ("zen2", 0.2, (0.1, 0.3)), ("zen5", None, None),
        )
    )  # fmt: skip
    (sentence,) = corners(review(structs.replace(GAIN, predicted=given)))
    assert sentence == "In predicted time the gain of folio_fork is certain on 1 of 4 CPUs."


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (review(EQUAL, GAIN), 0),
        (review(EQUAL, LOSS), 1),
        (review(cell(SCREENED, 0.9)), 4),
        (review(EQUAL, cell("state-mismatch", None)), 4),
        (review(EQUAL, functions=(function("cold", NOT_EXECUTED, never=(7,)),)), 4),
        (review(EQUAL, functions=(function("partly", EXECUTED, never=(7,)),)), 0),
        (structs.replace(review(EQUAL), left=(Left(what="arch=arm64", why="the budget"),)), 4),
        (structs.replace(review(EQUAL), corners=(Corner(name="cc=gcc-13", cells=(LOSS,)),)), 1),
        (review(same_image=True), 0),
    ],
)
def test_exit_status(found: object, status: int) -> None:
    assert exit_status(found) == status  # type: ignore[arg-type]


def test_b4_gets_a_warning_with_the_first_thing_to_know(tmp_path: Path) -> None:
    (check,) = json.loads(b4_checks(review(LOSS), tmp_path / "review.html"))
    assert (check["tool"], check["status"]) == ("kassay", "warn")
    assert check["summary"].startswith("Largest loss: folio_fork order=9")
    (check,) = json.loads(b4_checks(review(EQUAL), tmp_path / "review.html"))
    assert check["status"] == "pass"
    idle = review(EQUAL, functions=(function("cold", NOT_EXECUTED, never=(7,)),))
    (check,) = json.loads(b4_checks(idle, tmp_path / "review.html"))
    assert check["status"] == "warn"
    assert check["summary"] == "Not executed in the measured part of any setting: mm/x.c:7 (cold(), patch 1)."
    idle = review(LOSS, functions=(function("cold", NOT_EXECUTED, never=(7,)),))
    (check,) = json.loads(b4_checks(idle, tmp_path / "review.html"))
    assert check["summary"].startswith("Largest loss")


def test_no_check_passes_where_a_changed_line_never_ran(tmp_path: Path) -> None:
    partly = review(EQUAL, functions=(function("warm", EXECUTED, executed=(1,), never=(7,)),))
    (check,) = json.loads(b4_checks(partly, tmp_path / "review.html"))
    assert check["status"] == "warn"
    (entry,) = json.loads(REVIEW.form("patchwork").render(partly))
    assert entry["check"]["state"] == "warning"
    assert "mm/x.c:7 (warm(), patch 1); other changed lines" in entry["check"]["description"]


def test_patchwork_gets_a_check_of_each_patch() -> None:
    given = structs.replace(review(LOSS), message_ids=("<1@example.org>",))
    (entry,) = json.loads(REVIEW.form("patchwork").render(given))
    assert entry["message_id"] == "1@example.org"
    assert entry["check"]["description"].startswith("Largest loss: folio_fork order=9")
    assert (entry["check"]["state"], entry["check"]["context"]) == ("warning", "kassay")
    (entry,) = json.loads(REVIEW.form("patchwork").render(review(EQUAL)))
    assert (entry["message_id"], entry["check"]["state"]) == ("", "success")


def test_the_changelog_has_at_most_eight_short_lines() -> None:
    many = [cell("improvement", -0.01 * n, order=str(n)) for n in range(9)]
    lines = changelog(review(LOSS, *many, functions=(function("cold", NOT_EXECUTED, never=(7,)),))).splitlines()
    assert len(lines) <= 8
    assert all(len(line) <= 75 for line in lines)
    assert any("+50.0%" in line for line in lines)
    assert lines[-1] == "Changed lines that no setting executed: mm/x.c:7."


@pytest.mark.parametrize(
    "open_", [cell("inconclusive", 0.9, order="2"), structs.replace(LOSS, evidence="unstable"),
              cell("different-work", None, order="2")],
)  # fmt: skip
def test_the_changelog_has_decided_values_alone(open_: Cell) -> None:
    assert changelog(review(open_)) == "No setting has a verdict."
    lines = changelog(review(open_, GAIN)).splitlines()
    assert [line for line in lines if " -> " in line] == ["  folio_fork: 100 -> 90, -10.0%"]
    assert lines[-1] == "Not decided: 1 setting."
    assert "Not decided" not in changelog(review(GAIN, cell(SCREENED, 0.9, n=1)))
    assert changelog(review(cell(SCREENED, 0.9, n=1))) == "Nothing was measured."


def test_every_format_has_the_answer() -> None:
    for form in REVIEW.forms():
        if form.name != "changelog":
            assert "folio_fork" in form.render(review(LOSS, GAIN))


def test_a_series_of_b4_is_the_commits_of_its_review_branch(tmp_path: Path) -> None:
    tracking = tmp_path / "tracking.json"
    tracking.write_text(json.dumps({"series": {"first-patch-commit": "abc123", "change-id": "2026-mm-x"}}))
    assert tracked_range(tracking) == "abc123~1..b4/review/2026-mm-x~1"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"series": {}}', '{"series": null}'])
def test_a_file_that_b4_did_not_write_is_refused(tmp_path: Path, text: str) -> None:
    tracking = tmp_path / "tracking.json"
    tracking.write_text(text)
    with pytest.raises(BadInput, match="does not describe a series of b4"):
        tracked_range(tracking)


@pytest.mark.parametrize(
    ("command", "others"),
    [
        ("kassay review /home/me/series.mbx --tree ~/linux", "kassay review series.mbx --tree linux"),
        ("kassay review ./x --base build:/src/linux@v7.0+../p.patch,cc=gcc-12",
         "kassay review x --base build:linux@v7.0+p.patch,cc=gcc-12"),
        ("kassay review origin/main..HEAD", "kassay review origin/main..HEAD"),
    ],
)  # fmt: skip
def test_a_command_in_a_mail_names_no_directory_of_its_sender(command: str, others: str) -> None:
    assert portable(command) == others


def test_figures_in_a_mail_are_not_cut_by_a_line_end() -> None:
    assert letter("534 262 to 373 520 instructions/call, -30.1 %") == "534,262 to 373,520 instructions/call, -30.1%"


def test_corners_of_a_mail_are_sentences() -> None:
    long = "config=lab+CONFIG_HYPERVISOR_GUEST=y+CONFIG_PARAVIRT=y"
    found = (
        Corner(name=long, cells=(GAIN, LOSS)), Corner(name="cc=clang-14", problem="too old"),
        Corner(name="cc=gcc-12", same_as="the usual build"), Corner(name="arch=arm64", same_image=True),
    )  # fmt: skip
    mail = text("mail", corners=found)
    assert long in mail and "..." not in mail
    assert (
        f"{long}: folio_fork (100 -> 90, -10.0%, improvement); folio_fork order=9 (100 -> 150, +50.0%, regression)"
        in " ".join(mail.split())
    )
    for line in ("cc=clang-14: not measured: too old", "cc=gcc-12: not measured: the kernels of the usual build",
                 "arch=arm64: same image"):  # fmt: skip
        assert f"- {line}" in mail


def test_claims_of_a_mail_are_sentences() -> None:
    claim = CheckedClaim(sentence="x", figure="5%", line=4, outcome="not-measurable", detail="no setting has order=4")
    mail = text("mail", claims=(claim,))
    assert "- line 4, 5%: not measurable; no setting has order=4" in mail
    assert "line 4" not in text("terminal", claims=(claim,))


def test_patches_that_are_not_those_of_the_earlier_version_are_named() -> None:
    found = Previous(source="v1.mbx", cells=(GAIN,), changed=(1,), dropped=("mm: gone",))
    answer = text("terminal", previous=found)
    assert "Not as in the earlier version: patch 1 (mm: do it). No longer in the series: mm: gone." in answer
    assert answer.index("Not as in") < answer.index("Against the earlier version")
    assert "Not as in" not in text("mail", previous=Previous(source="v1.mbx", cells=(GAIN,)))


def test_pages_do_not_name_the_directory_of_the_tree() -> None:
    tries = (Try(how="given", what="build:/home/me/linux@v7.0", outcome="applies"),)
    for form in ("terminal", "markdown", "mail"):
        assert "/home/me" not in text(form, tries=tries)
    assert "build:linux@v7.0" in text("markdown", tries=tries)


def test_spans_of_lines() -> None:
    assert spans_of([5, 1, 2, 3], [7]) == "1-3,5, removed 7"
    assert spans_of([], []) == ""
