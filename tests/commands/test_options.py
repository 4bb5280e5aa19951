# SPDX-License-Identifier: GPL-2.0-only
"""Words of the command line become an experiment, or are refused with everything that is wrong."""

import inspect
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.commands._experiment import directory_for, experiment_from, one_workload, words_of
from kassay.commands._options import Measuring
from kassay.commands._suite import experiment_of_file
from kassay.commands._with_options import with_options
from kassay.errors import BadInput
from kassay.model.experiment import Axis, Experiment
from kassay.spec.load import suite_workloads

TWO = ("debian:6.12", "debian:6.17")


def asked(question: str = "compare", kernels: tuple[str, ...] = TWO, **options: Any) -> Experiment:
    return experiment_from(question, "w", kernels, Measuring(**options))


def refused(**options: Any) -> str:
    with pytest.raises(BadInput) as caught:
        asked(**options)
    return str(caught.value)


@dataclass(frozen=True)
class Pace:
    speed: int
    unit: str = "km/h"


def test_a_command_gets_its_own_words_and_one_record_for_each_group_of_options() -> None:
    got: list[object] = []

    def command(first: str, pace: Pace, last: int) -> int:
        """Says it."""
        got.extend((first, pace, last))
        return 7

    wrapped = with_options(command)
    assert wrapped(first="a", speed=3, unit="m/s", last=2) == 7
    assert got == ["a", Pace(3, "m/s"), 2]
    assert wrapped.__doc__ == "Says it."
    read = inspect.signature(wrapped).parameters
    assert list(read) == ["first", "speed", "unit", "last"]
    assert (read["speed"].default, read["unit"].default) == (inspect.Parameter.empty, "km/h")


def several(names: str, *settings: str) -> dict[str, tuple[Axis, ...]]:
    found = experiment_from("compare", names, TWO, Measuring(set_=list(settings)))
    return {use.name: use.axes for use in found.workloads}


def test_several_workloads_share_settings_and_have_some_of_their_own() -> None:
    size, order = Axis(name="size", values=("2MiB",)), Axis(name="order", values=("0", "9"))
    assert several("page_fault,folio_fork", "size=2MiB", "folio_fork.order=0,9") == {
        "page_fault": (size,), "folio_fork": (size, order),
    }  # fmt: skip


def test_a_workload_twice_is_refused_and_so_are_several_where_one_is_meant() -> None:
    with pytest.raises(BadInput, match="the same workload twice"):
        several("page_fault,page_fault")
    with pytest.raises(BadInput, match="several workloads"):
        one_workload("page_fault,folio_fork")


def test_settings_become_axes_in_the_order_given() -> None:
    (use,) = asked(set_=["size=8MiB,16MiB", "share=private", "note=a=b"]).workloads
    assert use.axes == (
        Axis(name="size", values=("8MiB", "16MiB")),
        Axis(name="share", values=("private",)),
        Axis(name="note", values=("a=b",)),
    )
    assert asked().workloads[0].axes == ()


names = st.text("abc_", min_size=1, max_size=5)
plain = st.text(st.characters(codec="utf-8", exclude_characters=","), min_size=1, max_size=9)


@given(axes=st.dictionaries(names, st.lists(plain, min_size=1, max_size=3), max_size=3))
def test_any_axes_are_read_as_written(axes: dict[str, list[str]]) -> None:
    (use,) = asked(set_=[f"{name}={','.join(values)}" for name, values in axes.items()]).workloads
    assert {axis.name: list(axis.values) for axis in use.axes} == axes


@pytest.mark.parametrize("text", ["size", "=8MiB", "size=", ""])
def test_a_setting_that_is_none_is_quoted_with_an_example(text: str) -> None:
    said = refused(set_=[text])
    assert f"--set {text!r}: write NAME=VALUE" in said


def test_a_setting_given_twice_is_refused_with_the_way_to_say_both() -> None:
    assert refused(set_=["size=1MiB", "size=2MiB"]) == "--set size: given twice; write several values as size=A,B"


def test_numbers_and_sizes_may_be_lists() -> None:
    asked_for = asked(cpus="1,2,4", memory="1GiB,512MiB,2G")
    assert asked_for.cpus == (1, 2, 4)
    assert asked_for.memory_bytes == (1 << 30, 512 << 20, 2 << 30)


@pytest.mark.parametrize("text", ["", "two", "1,", "1.5", "1;2"])
def test_processors_that_are_no_numbers_are_quoted(text: str) -> None:
    assert f"--cpus {text!r}: not whole numbers" in refused(cpus=text)


@pytest.mark.parametrize("text", ["lots", "1GiB,", "1.5GiB", "-1GiB", "9EiB"])
def test_memory_that_is_no_size_is_quoted(text: str) -> None:
    said = refused(memory=text)
    assert f"--memory {text!r}: " in said and "is not a size" in said


def test_every_bad_word_of_the_command_line_is_told_at_once() -> None:
    said = refused(set_=["size", "a=1", "a=2"], cpus="x", memory="y")
    assert [word in said for word in ("--set 'size'", "--set a", "--cpus 'x'", "--memory 'y'")] == [True] * 4


def test_every_value_out_of_its_range_is_told_at_once() -> None:
    said = refused(order="up", repeats=0, margin=float("nan"), cpus="0", memory="1MiB", timeout=0, boot="warm")
    options = ("order", "repeats", "margin", "cpus", "memory", "timeout", "boot")
    assert {line.partition(":")[0] for line in said.splitlines()} >= {f"--{option}" for option in options}


@pytest.mark.parametrize(
    ("clock", "repeats", "perturb"), [("icount", 2, 2), ("tcg", 24, 0), ("kvm", 24, 0)]
)  # fmt: skip
def test_a_clock_needs_more_repeats_than_a_count(clock: str, repeats: int, perturb: int) -> None:
    plain = asked(clock=clock)
    assert (plain.repeats, plain.perturb) == (repeats, perturb)
    chosen = asked(clock=clock, repeats=4, perturb=0)
    assert (chosen.repeats, chosen.perturb) == (4, 0)


def test_kernel_parameters_go_to_all_to_the_first_or_to_the_last() -> None:
    three = (*TWO, "debian:6.19")
    made = asked("ladder", three, cmdline="all=1", cmdline_base="first=1", cmdline_head="last=1")
    assert [use.cmdline for use in made.kernels] == ["all=1 first=1", "all=1", "all=1 last=1"]
    assert [use.ref for use in made.kernels] == list(three)
    assert [use.cmdline for use in asked().kernels] == ["", ""]


@pytest.mark.parametrize("options", [{"cpus": "1,1"}, {"memory": "1GiB,1024MiB"}])
def test_the_same_machine_twice_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        asked(**options)


def test_memory_that_no_machine_can_be_given_exactly_is_refused() -> None:
    with pytest.raises(BadInput):
        asked(memory="1073741825B")


def test_the_directory_is_named_by_the_content_of_the_experiment() -> None:
    place = directory_for(asked(), None, False)
    assert place == directory_for(asked(), None, False)
    assert place.parent == Path("kassay-out")
    assert place.name.startswith("compare-w-")
    others = [directory_for(asked(**change), None, False) for change in ({"seed": 2}, {"cpus": "2"}, {"margin": 0.02})]
    assert len({place, *others}) == 4


def test_out_is_taken_as_it_is(tmp_path: Path) -> None:
    assert directory_for(asked(), tmp_path / "mine", False) == tmp_path / "mine"
    assert directory_for(asked(), tmp_path, False) == tmp_path
    assert directory_for(asked(), tmp_path / "new", True) == tmp_path / "new"


def test_fresh_takes_the_first_free_name_beside_an_existing_directory(tmp_path: Path) -> None:
    base = tmp_path / "runs.d"
    for name in ("runs.d", "runs.d-2", "runs.d-3"):
        assert directory_for(asked(), base, True) == tmp_path / name
        (tmp_path / name).mkdir()
    assert directory_for(asked(), base, False) == base
    assert os.listdir(tmp_path / "runs.d") == []  # noqa: PTH208  # nothing was written into it


def test_fresh_by_content_looks_where_the_command_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = directory_for(asked(), None, True)
    first.mkdir(parents=True)
    assert directory_for(asked(), None, True) == first.with_name(f"{first.name}-2")


@given(name=st.text(max_size=200))
def test_any_name_of_an_experiment_makes_one_file_name(name: str) -> None:
    experiment = Experiment(name=name, question="compare", kernels=(), workloads=())
    place = directory_for(experiment, None, False)
    assert place.parent == Path("kassay-out")
    assert len(os.fsencode(place.name)) <= 255
    assert place.name not in (".", "..") and "\0" not in place.name


@pytest.mark.parametrize("out", [".", "..", "/", "runs/.."])
def test_fresh_refuses_a_directory_without_a_name(out: str) -> None:
    with pytest.raises(BadInput, match=f"--out '{re.escape(out)}': not a name for a new directory"):
        directory_for(asked(), Path(out), True)


def test_a_bare_version_is_the_archives_and_asks_for_the_same_experiment() -> None:
    assert asked(kernels=("6.12", "6.17")) == asked(kernels=TWO)


def test_a_suite_is_its_workloads_restored_with_fewer_rounds() -> None:
    made = experiment_from("ladder", "mm", TWO, Measuring(suite="mm"))
    assert made.workloads == suite_workloads("mm")
    assert (made.name, made.boot, made.rounds) == ("ladder-mm", "snapshot", 10)


@pytest.mark.parametrize("options", [{"cpus": "2"}, {"arch": "arm64"}, {"clock": "tcg"}])
def test_a_suite_that_cannot_be_restored_is_booted(options: dict[str, Any]) -> None:
    kernels = tuple(f"{options.get('arch', '')}/{ref}".removeprefix("/") for ref in TWO)
    assert experiment_from("ladder", "mm", kernels, Measuring(suite="mm", **options)).boot == "short"


def test_what_is_given_beside_a_suite_wins_or_is_refused() -> None:
    made = experiment_from("ladder", "mm", TWO, Measuring(suite="mm", boot="short", rounds=3))
    assert (made.boot, made.rounds) == ("short", 3)
    with pytest.raises(BadInput, match="--set: a suite has its own settings"):
        experiment_from("ladder", "mm", TWO, Measuring(suite="mm", set_=["size=1MiB"]))
    with pytest.raises(BadInput, match="--program and --suite"):
        words_of("", TWO, Measuring(suite="mm", program="a.c"))


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ({"memcg": "64MiB"}, {"memcg_charge"}),
        ({"swap": "zram:64MiB"}, {"madvise_pageout", "swap_refault"}),
        ({"thp": "never"}, set()),
    ],
)
def test_a_suite_leaves_out_what_cannot_be_measured_and_names_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: dict[str, Any], left_out: set[str]
) -> None:
    made = experiment_from("ladder", "mm", TWO, Measuring(suite="mm", **options))
    assert {use.name for use in suite_workloads("mm")} - {use.name for use in made.workloads} == left_out
    lines = "\n".join(f"{name} = {value!r}" for name, value in options.items())
    (tmp_path / "x.toml").write_text(f"suite = 'mm'\nkernels = ['6.12', '6.17']\n{lines}\n")
    capsys.readouterr()
    assert experiment_of_file(tmp_path / "x.toml").workloads == made.workloads
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("kassay: left out of suite mm: ")]
    assert {line.split()[7] for line in said} == left_out


def test_with_a_suite_every_word_is_a_kernel() -> None:
    assert words_of("debian:6.12", ("debian:6.17", ""), Measuring(suite="mm")) == ("mm", list(TWO))
