# SPDX-License-Identifier: GPL-2.0-only
"""CPUs to predict for: by any spelling, of the kernels' architecture, and refused by name where one is gone."""

from pathlib import Path
from typing import cast

import pytest
from msgspec import structs

from kassay.commands._experiment import cpus_to_predict
from kassay.errors import BadInput
from kassay.evidence.profile import symbols
from kassay.evidence.profile.counters import RawProfile
from kassay.labs.predict.predictions import (
    agreeing,
    asked_timings,
    found_timings,
    is_predicted_at,
    keep_timings,
    model_of,
    timings_for,
)
from kassay.labs.predict.replay import version
from kassay.labs.predict.side import Replay, ReplayedRow
from kassay.labs.predict.timing import path_of, timing_for
from kassay.model.prediction import TIMINGS
from tests.commands.conftest import Kassay, kassay
from tests.history.directories import measured, plan_with

__all__ = ["kassay"]


@pytest.mark.parametrize("name", ["alderlake_p", "alder-lake-p", "Alderlake-P", "alder_lake_p"])
def test_a_cpu_is_found_by_any_spelling(name: str) -> None:
    assert list(timings_for((name, "zen3"), "x86_64")) == ["alderlake_p", "zen3"]


def test_an_unknown_cpu_names_those_that_are_known_and_how_to_add_one() -> None:
    with pytest.raises(BadInput, match="no timing file for CPU 'zen33'") as caught:
        timings_for(("zen33",), "x86_64")
    assert "did you mean zen3?" in caught.value.remedy and "kassay calibrate" in caught.value.remedy


def test_a_cpu_of_another_architecture_is_no_cpu_for_these_kernels() -> None:
    with pytest.raises(BadInput, match="is of x86_64, and the kernels are of arm64"):
        timings_for(("zen3",), "arm64")


@pytest.mark.parametrize(
    ("cpu", "said"),
    [("zen33", "did you mean zen3?"), ("zen3", "no run recorded a trace"), ("all", "no run recorded a trace")],
)
def test_a_cpu_is_checked_before_a_trace_is_missed(tmp_path: Path, kassay: Kassay, cpu: str, said: str) -> None:
    directory = measured(tmp_path / "runs", plan_with(["6.12.1", "6.17.2"]), {0: [30, 30], 1: [60, 60]})
    status, _, err = kassay("predict", str(directory), "--cpu", cpu)
    assert status == 2 and said in err


def test_a_directory_made_for_a_cpu_that_is_gone_answers_for_the_others(tmp_path: Path) -> None:
    found, lacking = found_timings(("/nowhere/my.toml", "zen3"), "x86_64", tmp_path)
    assert list(found) == ["zen3"]
    (one,) = lacking
    assert one.cpu == "/nowhere/my.toml" and one.refused is not None and one.refused.code == "cpu-not-known"


def test_a_directory_keeps_the_timing_files_that_not_everybody_has(tmp_path: Path) -> None:
    own = tmp_path / "my.toml"
    own.write_bytes(path_of("zen3").read_bytes().replace(b'name = "zen3"', b'name = "my"'))
    keep_timings((str(own), "zen2"), tmp_path / "run")
    own.unlink()
    assert [path.name for path in (tmp_path / "run" / TIMINGS).iterdir()] == ["my.toml"]
    found, lacking = found_timings((str(own), "zen2"), "x86_64", tmp_path / "run")
    assert (list(found), lacking) == (["my", "zen2"], ())


def test_a_copy_is_found_by_any_spelling_of_its_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kassay.labs.predict.timing.calibrations", lambda: tmp_path / "own")
    file = Path(written(tmp_path / "own" / "build_server.toml", "build_server"))
    keep_timings(("build-server",), tmp_path)
    for written_now in (True, False):  # the host is calibrated again, then it is another host
        if written_now:
            written(file, "build_server", "1.7")
        else:
            file.unlink()
        timing_for.cache_clear()
        found, lacking = found_timings(("build-server",), "x86_64", tmp_path)
        assert (found["build_server"].ghz.value, lacking) == (3.4, ())
    assert asked_timings(("Build-Server",), "x86_64", tmp_path)["build_server"].ghz.value == 3.4


def test_a_replay_is_made_again_if_other_code_names_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = model_of(timing_for("zen3"))
    (tmp_path / "symbols.py").write_text("# of a later version\n")
    monkeypatch.setattr(symbols, "__file__", str(tmp_path / "symbols.py"))
    version.cache_clear()
    after = model_of(timing_for("zen3"))
    version.cache_clear()
    assert after != before


def written(path: Path, name: str, ghz: str = "3.4") -> str:
    """A file like zen3's with another name and clock."""
    path.parent.mkdir(exist_ok=True)
    clock = f'{{ value = {ghz}, low = 1, high = 4, source = "measured" }}'
    path.write_text(f'name = "{name}"\nlike = "zen3"\nghz = {clock}\n')
    return str(path)


def test_a_file_that_is_named_comes_before_the_stored_one_of_its_stem(tmp_path: Path) -> None:
    run = tmp_path / "run"
    old, new = written(tmp_path / "a" / "mine.toml", "mine"), written(tmp_path / "b" / "mine.toml", "mine", "1.7")
    keep_timings((old,), run)
    assert asked_timings((new,), "x86_64", run)["mine"].ghz.value == 1.7
    assert found_timings((old,), "x86_64", run)[0]["mine"].ghz.value == 3.4
    assert asked_timings(("mine",), "x86_64", run)["mine"].ghz.value == 3.4  # which is not known otherwise
    with pytest.raises(BadInput, match="No such file"):
        asked_timings((str(tmp_path / "c" / "mine.toml"),), "x86_64", run)
    keep_timings((new,), run)
    assert found_timings((new,), "x86_64", run)[0]["mine"].ghz.value == 1.7


@pytest.mark.parametrize("made_from", ["asked", "planned"])
def test_two_files_that_cannot_be_told_apart_are_refused(tmp_path: Path, made_from: str) -> None:
    def ask(*cpus: str) -> object:
        if made_from == "asked":
            return asked_timings(cpus, "x86_64", tmp_path)
        return cpus_to_predict(",".join(cpus), "x86_64")

    one, other = written(tmp_path / "a" / "mine.toml", "mine"), written(tmp_path / "b" / "mine.toml", "mine", "1.7")
    with pytest.raises(BadInput, match=r"two different timing files have the name mine") as caught:
        ask(one, other)
    assert one in caught.value.what and other in caught.value.what and "another file name" in caught.value.remedy
    with pytest.raises(BadInput, match=r"CPUs zen3 and .*copy.toml: two different timing files have the name zen3"):
        ask("zen3", written(tmp_path / "copy.toml", "zen3", "2.7"))
    with pytest.raises(BadInput, match=r"CPUs zen3 and .*zen3.toml: two different timing files have the file name"):
        ask("zen3", written(tmp_path / "zen3.toml", "mine"))
    ask("zen3", "Zen-3", one, written(tmp_path / "c" / "mine.toml", "mine"))


def test_a_round_that_the_profile_counts_otherwise_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ReplayedRow(round=6, interval=0, function="f", cause="width", cycles100=900, instructions=9)
    rows = (row, structs.replace(row, round=8))
    replay = Replay(rounds=(6, 8), complete=4, asked=4, cut=False, rows=rows, others=((8, 0, 1),))
    raw = cast("RawProfile", object())
    monkeypatch.setattr("kassay.labs.predict.trace.counted", lambda raw, rounds: {(n, 0): 9 for n in rounds})
    found = agreeing(replay, raw)
    assert isinstance(found, Replay) and (found.rounds, found.rows, found.others) == ((6,), rows[:1], ())
    assert found.left_out == ("the trace has 10 instructions in interval 0 of round 8, the profile 9",)
    monkeypatch.setattr("kassay.labs.predict.trace.counted", lambda raw, rounds: {(n, 0): 8 for n in rounds})
    assert agreeing(replay, raw) == "the trace has 9 instructions in interval 0 of round 6, the profile 8"
    assert agreeing(replay, None) == replay


def test_all_stands_for_the_shipped_cpus_of_the_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.toml").write_text(path_of("zen3").read_text("utf-8"), "utf-8")
    monkeypatch.setattr("kassay.labs.predict.timing.calibrations", lambda: tmp_path)
    assert cpus_to_predict("all", "arm64") == ("neoverse_n1", "neoverse_v1")
    names = cpus_to_predict("all", "x86_64")
    assert {"zen3", "skylake_sp", "alderlake_p"} <= set(names)
    assert not {"mine", "neoverse_n1"} & set(names)


def test_in_a_matrix_of_cpus_time_is_predicted_on_the_cpu_that_was_booted_and_on_those_that_were_not() -> None:
    matrix = {"zen5", "sapphirerapids"}
    told = {
        (name, cpu)
        for name in ("zen5", "sapphirerapids", "zen3")
        for cpu in matrix
        if is_predicted_at(timing_for(name), {cpu}, matrix)
    }
    assert told == {
        ("zen5", "zen5"),
        ("sapphirerapids", "sapphirerapids"),
        ("zen3", "zen5"),
        ("zen3", "sapphirerapids"),
    }
    assert is_predicted_at(timing_for("zen5"), {""}, {""})  # one CPU, the default
    assert is_predicted_at(timing_for("zen5"), matrix, matrix)  # KERNEL@cpu=: a CPU on each side
