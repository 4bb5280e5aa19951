# SPDX-License-Identifier: GPL-2.0-only
"""A user's program is timed on this machine, and shown beside its prediction."""

import platform
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from kassay.commands._experiment import checked_from
from kassay.commands._options import Measuring, is_timed_here
from kassay.errors import BadInput
from kassay.labs.predict.here import FILE, TimedHere, beside_predictions, check_here, other_pages, time_here, timed_in
from kassay.model.experiment import Experiment
from kassay.model.prediction import Prediction
from kassay.supply.guest.program_source import pinned
from tests.report.parts import finding

KERNELS = ["debian:6.16", "debian:6.17"]


def asked(source: Path, text: str, **options: str) -> Experiment:
    source.write_text(text)
    given = {"predict": "zen3", "program": str(source), **options}
    experiment, times = checked_from("compare", "", KERNELS, Measuring(**given))  # type: ignore[arg-type]
    assert times is None and experiment.clock == "icount"
    (use,) = experiment.workloads
    assert use.program
    return replace(experiment, workloads=(replace(use, program=pinned(use.program)),))


def test_only_counts_beside_this_machine_are_so() -> None:
    clocks = ("icount,host", "icount,kvm", "kvm,host", "host", "icount", "icount,", "x,host")
    assert [is_timed_here(clock) for clock in clocks] == [True, False, False, False, False, False, False]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"predict": ""}, "add --program PATH and --predict host"),
        ({"from_": "main", "to": "main"}, "whole executions are timed"),
        ({"set_": ["n=1,2"], "args": "{n}"}, "several forms"),
        ({"arch": "arm64", "predict": "neoverse_n1"}, "program is for arm64"),
    ],
)
def test_what_the_model_does_not_predict_whole_is_not_timed(tmp_path: Path, options: dict[str, str], what: str) -> None:
    experiment = asked(tmp_path / "p.c", "int main(void) { return 0; }\n", **options)
    with pytest.raises(BadInput) as raised:
        check_here(experiment)
    assert what in f"{raised.value.what} {raised.value.remedy}"


def test_other_questions_have_no_time_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    with pytest.raises(BadInput, match="not two clocks"):
        checked_from("ladder", "", KERNELS, Measuring(clock="icount,host", program=str(tmp_path / "p.c")))


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="no compiler of this program")
def test_a_program_is_executed_here_with_its_words_and_files(tmp_path: Path) -> None:
    text = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	FILE *file = fopen("data.txt", "r");
	char word[9] = "";
	return !(argc == 2 && !strcmp(argv[1], "a b") && file && fgets(word, 9, file) && !strcmp(word, "seven"));
}
"""
    (tmp_path / "data.txt").write_text("seven")
    experiment = asked(tmp_path / "p.c", text, args="'a b'", file=[str(tmp_path / "data.txt")])  # type: ignore[arg-type]
    check_here(experiment)
    timed = time_here(experiment, tmp_path)
    assert timed.workload == "p" and timed.n >= 4
    assert 0 < timed.low <= timed.ns <= timed.high < 1e9
    assert timed_in(tmp_path) == timed
    assert (tmp_path / FILE).is_file()
    assert timed_in(tmp_path / "none") is None


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("gcc"), reason="no compiler of this program")
@pytest.mark.parametrize(
    ("body", "require", "end"),
    [
        ("__builtin_trap();", "", "killed by signal 4 (Illegal instruction), and status 0 is its success"),
        ("return 1;", "", "ended with status 1, and status 0 is its success"),
        ("return 127;", "", "it cannot be executed (status 127), and"),
        ("return 0;", "status==3", "ended with status 0, and status 3 is its success"),
        ("return 3;", "status==3", None),
    ],
)
def test_only_executions_that_end_as_in_the_guest_are_timed(
    tmp_path: Path, body: str, require: str, end: str | None
) -> None:
    options: dict[str, list[str]] = {"require": [require]} if require else {}
    experiment = asked(tmp_path / "p.c", f"int main(void) {{ {body} }}\n", **options)  # type: ignore[arg-type]
    if end is None:
        assert time_here(experiment, tmp_path).n >= 4
        return
    with pytest.raises(BadInput) as raised:
        time_here(experiment, tmp_path)
    assert f"p: not timed on this machine: {end}" in raised.value.what
    assert "by hand" in raised.value.remedy
    assert timed_in(tmp_path) is None


@pytest.mark.parametrize(
    ("here", "guest", "said"),
    [("madvise", "", True), ("madvise", "always", True), ("madvise", "madvise", False), ("", "", False)],
)
def test_other_huge_pages_than_in_the_guest_are_said(tmp_path: Path, here: str, guest: str, said: bool) -> None:
    experiment = asked(tmp_path / "p.c", "int main(void) { return 0; }\n", **({"thp": guest} if guest else {}))
    timed = TimedHere(workload="p", n=100, ns=1000.0, low=990.0, high=1010.0, thp=here)
    note = other_pages(timed, experiment)
    assert bool(note) == said and note.endswith(f"--thp {here} makes them alike." if said else "")


def test_predicted_and_measured_time_stand_in_one_row() -> None:
    prediction = Prediction(cpu="host", calibrated=True, base_ns=1100.0, head_ns=900.0)
    nothing = finding("debian:6.16", "debian:6.17", (1.0, 1.0))
    found = replace(nothing, predictions=(prediction,))
    timed = TimedHere(workload=found.workload, n=100, ns=1000.0, low=990.0, high=1010.0)
    rows = [[cell.text for cell in row] for row in beside_predictions(timed, [found]).rows]
    assert [row[1:] for row in rows] == [
        ["host", "1 100", "1 000", "990 to 1 010", "1.10"],
        ["host", "900", "1 000", "990 to 1 010", "0.90"],
    ]
    assert beside_predictions(timed, [nothing]).rows == ()


def test_each_machine_of_a_matrix_has_its_row() -> None:
    nothing = finding("debian:6.16", "debian:6.17", (1.0, 1.0))
    found = [
        replace(nothing, machine=replace(nothing.machine, cpus=cpus),
                predictions=(Prediction(cpu="host", calibrated=True, base_ns=1000.0 * cpus, head_ns=900.0 * cpus),))
        for cpus in (1, 2)
    ]  # fmt: skip
    timed = TimedHere(workload=nothing.workload, n=100, ns=1000.0, low=990.0, high=1010.0)
    rows = [[cell.text for cell in row] for row in beside_predictions(timed, found).rows]
    assert [row[2] for row in rows] == ["1 000", "900", "2 000", "1 800"]
    assert len({row[0] for row in rows}) == 4
