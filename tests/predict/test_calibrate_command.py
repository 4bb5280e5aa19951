# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate` refuses a wrong file before it measures anything."""

from pathlib import Path

import pytest

from kassay.labs.predict.calibrate import check
from kassay.labs.predict.calibrate.calibrate import Calibrated
from kassay.labs.predict.calibrate.check import Checked
from kassay.labs.predict.calibrate.machine import Nearest
from kassay.labs.predict.commands import calibrate
from kassay.labs.predict.timing import calibrations, timing_for
from tests.commands.conftest import Kassay
from tests.commands.conftest import kassay as kassay


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--out", "x.json"), "--out x.json: a timing file's name ends in .toml"),
        (("zen4", "--pairs", "/nowhere"), "/nowhere: No such file"),
        (("nonesuch", "--check"), "no timing file for CPU 'nonesuch'"),
        (("zen4", "--check"), "zen4: not written by kassay calibrate, so it belongs to no machine"),
    ],
)
def test_a_wrong_file_is_named(kassay: Kassay, words: tuple[str, ...], what: str) -> None:
    status, _, err = kassay("calibrate", *words)
    assert status == 2 and what in err, err


def test_a_file_that_holds_no_changes_is_named(kassay: Kassay, tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"schema": "kassay-pairs/9", "cpu": "zen4", "pairs": []}')
    status, _, err = kassay("calibrate", "zen4", "--pairs", str(path))
    assert status == 2 and "schema 'kassay-pairs/9'" in err and "known: kassay-pairs/1" in err, err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--check", "--pairs", "PAIRS"), "--pairs: does nothing with --check"),
        (("--check", "--repeats", "3"), "--repeats: does nothing with --check"),
        (("--check", "--fresh"), "--fresh: does nothing with --check"),
        (("--check", "--out", "x.toml"), "--out: does nothing with --check"),
        (("--check", "--like", "zen3"), "--like: does nothing with --check"),
        (("--exit-code",), "--exit-code: belongs to --check"),
        (("--pairs", "PAIRS", "--like", "zen3"), "--like: does nothing with --pairs"),
        (("--pairs", "PAIRS", "--repeats", "3"), "--repeats: does nothing with --pairs"),
        (("--pairs", "PAIRS", "--fresh"), "--fresh: does nothing with --pairs"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    kassay: Kassay, tmp_path: Path, words: tuple[str, ...], what: str
) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"schema": "kassay-pairs/1", "cpu": "zen4", "pairs": []}')
    status, _, err = kassay("calibrate", "zen4", *(str(path) if word == "PAIRS" else word for word in words))
    assert status == 2 and what in err, err


def test_an_empty_list_of_changes_is_too_short(kassay: Kassay, tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text('{"schema": "kassay-pairs/1", "cpu": "zen4", "pairs": []}')
    status, _, err = kassay("calibrate", "zen4", "--pairs", str(path), "--out", str(tmp_path / "x.toml"))
    assert status == 2 and "0 measured changes are too few" in err, err


def done(path: Path, corrected: int, forms: int) -> Calibrated:
    taken, timing = Nearest("zen4", known=True), timing_for("zen4_kvm")
    return Calibrated(path, timing, 0, ("l2_size", "l3_lifetime", "l1d_latency"), (), taken, corrected, forms)


def test_a_calibration_explains_its_numbers_and_names_the_file_to_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    own = calibrations() / "mine.toml"
    lines = calibrate._summary("mine", done(own, 0, 550)).splitlines()
    (header,) = (
        at for at, line in enumerate(lines) if line.startswith("parameter, value and [range], in cycles, bytes")
    )
    assert lines[header + 1].split() == ["l2_size", "1048576"]
    assert "e+" not in "".join(lines)
    assert "instructions: the 550 measured forms agree with zen4" in lines
    assert lines[-2:] == [f"written: {own}", "use it with: --predict mine"]
    other = tmp_path / "mine.toml"
    lines = calibrate._summary("mine", done(other, 7, 550)).splitlines()
    assert "instructions: 7 forms differ from zen4, and have the measured times" in lines
    assert lines[-1] == f"use it with: --predict {other}"
    assert "instructions: not measured, as of zen4" in calibrate._summary("mine", done(other, 0, 0))
    assert "meanwhile" not in "".join(lines)
    lines = calibrate._summary("mine", done(other, 7, 550)._replace(others=1.87)).splitlines()
    assert any("used 1.9 CPUs meanwhile" in line for line in lines)


def test_a_check_says_what_was_compared_and_what_to_do() -> None:
    good = calibrate._checked("host", Checked("host", 71, []))
    assert "Values compared: 71; that differ now: 0." in good and "more than 15 %" in good
    assert "kassay calibrate" not in good
    bad = calibrate._checked("host", Checked("host", 71, [("l2_size", 1048576.0, 2097152.0)]))
    assert bad.startswith("l2_size: 1048576 in the file, 2097152 measured now\n")
    assert "quiet machine" in bad and bad.endswith("kassay calibrate host\n")
    assert "used 0.4 CPUs meanwhile" in calibrate._checked("host", Checked("host", 71, [], 0.4))
    file = calibrate._checked("x/a.toml", Checked("mine", 71, [("l2_size", 1.0, 2.0)]))
    assert file.endswith("kassay calibrate mine --out x/a.toml\n")


@pytest.mark.parametrize(("words", "differing", "status"), [
    (("--check",), True, 0), (("--check", "--exit-code"), True, 1), (("--check", "--exit-code"), False, 0),
])  # fmt: skip
def test_a_check_that_fails_can_be_a_status(
    kassay: Kassay, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], differing: bool, status: int
) -> None:
    found = Checked("host", 71, [("l2_size", 1.0, 2.0)] if differing else [])
    monkeypatch.setattr(check, "check", lambda name, tell: found)
    assert kassay("calibrate", *words)[0] == status


def test_help_names_the_directory_of_the_written_file(kassay: Kassay) -> None:
    _, out, _ = kassay("calibrate", "--help", COLUMNS="200")
    assert "kassay/calibrations/NAME.toml" in " ".join(out.split()) and "configuration directory" not in out
