# SPDX-License-Identifier: GPL-2.0-only
"""A campaign that was killed goes on with the next trial, and counts what it has made."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from benchmarks.trials import campaign, fuzz, native
from benchmarks.trials.campaign import Result, read, run, turns

pytestmark = pytest.mark.slow  # seconds for the whole file


def good(random: Random) -> Result:
    return Result(random.randint(1, 9))


def test_numbers_go_on_behind_a_torn_line(tmp_path: Path) -> None:
    first = [run(tmp_path, "kills", "compare", number, good) for number in range(2)]
    with (tmp_path / "kills.jsonl").open("ab") as file:
        file.write(b'0123abcd {"kind":"kills","na')
    assert list(read(tmp_path)) == first
    more = run(tmp_path, "kills", "gap", 0, good)
    other = run(tmp_path, "selves", "compare", 0, good)
    assert list(read(tmp_path)) == [*first, more, other]
    assert next(turns(["compare"], read(tmp_path), "kills", time.monotonic() + 60)) == ("compare", 2)
    assert next(turns(["compare", "ladder"], read(tmp_path), "kills", time.monotonic() + 60)) == ("ladder", 0)
    assert next(turns(["compare"], read(tmp_path), "selves", time.monotonic() + 60)) == ("compare", 1)
    assert next(turns(["compare"], read(tmp_path), "faults", time.monotonic() + 60)) == ("compare", 0)


def test_a_trial_has_the_same_random_numbers_each_time(tmp_path: Path) -> None:
    counts = [run(tmp_path, "kills", "compare", 7, good).count for _ in range(2)]
    assert counts[0] == counts[1]
    assert campaign.generator("kills", "compare", 7).random() != campaign.generator("kills", "compare", 8).random()


def test_an_exception_of_a_trial_is_a_find(tmp_path: Path) -> None:
    def bad(random: Random) -> Result:
        raise AssertionError("a run was lost")

    assert run(tmp_path, "kills", "compare", 0, bad).outcome == campaign.FIND
    assert read(tmp_path)[0].detail == "AssertionError: a run was lost"


def test_nothing_is_begun_after_the_deadline(tmp_path: Path) -> None:
    assert list(turns(["compare"], read(tmp_path), "kills", time.monotonic() - 1)) == []


def test_executions_are_counted_in_the_file_that_a_kill_leaves(tmp_path: Path) -> None:
    place = tmp_path / "fuzz" / "plan"
    place.mkdir(parents=True)
    (place / "executions").write_bytes((1234).to_bytes(8, "little"))
    assert fuzz.executed(tmp_path, ["plan", "spec"]) == {"plan": 1234, "spec": 0}


def test_the_command_needs_a_directory() -> None:
    done = subprocess.run((sys.executable, "-m", "benchmarks.trials", "fuzz"), capture_output=True, text=True)
    assert done.returncode == 2 and "--out" in done.stderr


@pytest.mark.parametrize("name", native.NAMES)
@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_each_harness_compiles_without_a_warning(name: str, cc: str) -> None:
    target = native.TARGETS[name]
    words = (f"-I{native.ROOT / target.part}", f"-I{native.HERE}", f"-DINPUT={target.number}", "-fsyntax-only",
             "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-include", str(native.HERE / "replaced.h"),
             *(() if target.files else ("-DTRIALS_NO_FILES",)))  # fmt: skip
    done = subprocess.run((cc, *words, str(native.HERE / target.harness)), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
