# SPDX-License-Identifier: GPL-2.0-only
"""The one-file reproducer: one for each workload, without a warning, and it does the work and says what it cost."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.model.workload import Workload
from kassay.registry import is_extension
from kassay.supply.arches import arch_of
from kassay.supply.guest import catalog, sources
from kassay.supply.guest.reproducer import amalgamate, reproducer
from tests.guest.native import LACKING

NAMES = sources.workload_names()
COUNTER = Path(__file__).with_name("shared_counter.c")
QUICK = {"calibrate": ("iterations=1000", "syscalls=10")}


def _quick(name: str) -> bool:
    """True for the workloads that each check compiles.

    These are a few that differ most, as every one takes a second, and those of KASSAY_PATH.
    """
    few = ("calibrate", "mprotect_toggle", "page_fault", "folio_mremap", "process_start", "ksm_unmerge")
    return name in few or is_extension(sources.path_of(f"workloads/{name}.c"))


def source(name: str) -> tuple[Workload, str]:
    """A workload, and its reproducer with all its defaults."""
    workload = catalog.workloads()[name]
    settings = catalog.settings(workload, (), arch_of("x86_64"))
    return workload, reproducer(workload, [settings], 20, "reproducer.c")


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", [name if _quick(name) else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
def test_it_compiles_without_a_warning_and_runs(tmp_path: Path, name: str, compiler: str) -> None:
    workload, text = source(name)
    (tmp_path / "reproducer.c").write_text(text)
    words = (compiler, "-Wall", "-Wextra", "-Werror", "-pthread", "-o", "reproducer", "reproducer.c")
    built = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    if workload.alters:
        return  # not on this very machine
    run = ("./reproducer", "rounds=3", *QUICK.get(name, ()))
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    if re.search(LACKING, ran.stderr):
        pytest.skip(ran.stderr)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    costs = dict(re.findall(r"^(\w+) +(\d+\.\d{3}) ns per .* \(median of 3 rounds;", ran.stdout, re.MULTILINE))
    assert set(costs) == {phase.name for phase in workload.phases}
    assert all(float(cost) > 0 for cost in costs.values())


@pytest.mark.slow
def test_the_range_of_mmap_cycle_merges_with_no_neighbour_however_small_it_is(tmp_path: Path) -> None:
    """With random addresses there are small gaps between libraries; a state that is not as required ends with 1."""
    (tmp_path / "r.c").write_text(source("mmap_cycle")[1])
    subprocess.run(["gcc", "-pthread", "-o", "r", "r.c"], cwd=tmp_path, check=True)
    for size in ("4KiB", "64KiB", "1MiB", "4MiB", "128MiB"):
        ran = subprocess.run([tmp_path / "r", "rounds=3", f"size={size}"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """mprotect_toggle's."""
    place = tmp_path_factory.mktemp("r")
    (place / "r.c").write_text(source("mprotect_toggle")[1])
    subprocess.run(["gcc", "-o", "r", "r.c"], cwd=place, check=True)
    return place / "r"


@pytest.mark.parametrize(
    "word",
    ["size=3", "size=9EiB", "size=0MiB", "share=both", "nothing=1", "share", "rounds=0", "rounds=x", "size=-4KiB"],
)
def test_what_it_does_not_understand_is_refused(built: Path, word: str) -> None:
    ran = subprocess.run([built, word], capture_output=True, text=True)
    assert ran.returncode == 2
    assert word in ran.stderr


def test_it_holds_the_state_against_what_the_workload_requires(built: Path, tmp_path: Path) -> None:
    ran = subprocess.run([built, "rounds=2", "size=64KiB"], capture_output=True, text=True, check=True)
    assert (
        len(re.findall(r"^state (before|after) the rounds: (\d+) requirements hold, 0 do not", ran.stdout, re.M)) == 2
    )
    wrong = source("mprotect_toggle")[1].replace('"range.vmas", "==", 1', '"range.vmas", "==", 7')
    (tmp_path / "w.c").write_text(wrong)
    subprocess.run(["gcc", "-o", "w", "w.c"], cwd=tmp_path, check=True)
    ran = subprocess.run([tmp_path / "w", "rounds=2", "size=64KiB"], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "THE STATE IS NOT AS REQUIRED before the rounds: range.vmas must be == 7, and is 1\n" in ran.stdout


def test_instructions_of_a_counter_that_others_had_in_between_are_not_printed(built: Path, tmp_path: Path) -> None:
    library = tmp_path / "counter.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, COUNTER], check=True)
    for shared in ({}, {"SHARED": "1"}):
        ran = subprocess.run([built, "rounds=2", "size=64KiB"], capture_output=True, text=True, check=True,
                             env={**os.environ, "LD_PRELOAD": str(library), **shared})  # fmt: skip
        assert ("instructions per" in ran.stdout) == (not shared)
        assert ("instructions are not counted here: other events had the CPU's counter" in ran.stdout) == bool(shared)


@pytest.mark.slow
def test_the_command_prints_it_with_the_settings_that_it_is_given() -> None:
    argv = (sys.executable, "-c", "from kassay.cli import main; main()", "workloads", "mprotect_toggle", "--reproducer")
    words = ("--set", "size=1MiB", "--set", "share=private", "--rounds", "7")
    text = subprocess.run((*argv, *words), capture_output=True, text=True, check=True).stdout
    assert '\t"share=private",\n\t"size=1MiB",\n' in text and "#define MEASURED_ROUNDS 7\n" in text
    refused = subprocess.run((*argv, "--set", "size=3"), capture_output=True, text=True)
    assert refused.returncode == 2 and "size: '3' is outside" in refused.stderr


def test_phases_that_a_setting_does_not_have_are_not_printed(built: Path) -> None:
    ran = subprocess.run([built, "rounds=2", "size=8KiB", "mode=single"], capture_output=True, text=True, check=True)
    assert re.findall(r"^(\w+) .* ns per", ran.stdout, re.MULTILINE) == ["protect", "iteration"]


@pytest.mark.parametrize("name", NAMES)
def test_its_first_lines_say_how_to_build_it_and_what_it_prints(name: str) -> None:
    workload, text = source(name)
    top = " ".join(text[: text.index("*/")].replace("\n *", " ").split())
    assert text.startswith("// SPDX-License-Identifier: GPL-2.0-only\n/*\n")
    assert "gcc -pthread -o reproducer reproducer.c" in top
    assert all(phase.definition in top for phase in workload.phases)
    assert max(map(len, text[: text.index("*/")].splitlines())) <= 100
    assert '#include "' not in text
    assert text.count("SPDX") == 1


def test_the_settings_of_the_experiment_are_built_in() -> None:
    _, text = source("mprotect_toggle")
    assert '\t"size=8MiB",\n' in text and "#define MEASURED_ROUNDS 20\n" in text


def test_a_comment_cannot_be_ended_by_a_definition() -> None:
    text = amalgamate(
        name="x", summary="a */ b", phases=[("p", "op", "c */ d")], points=[()], rounds=1,
        read=lambda path: f"/* {path} */\n", c_files={}, file="r.c",
    )  # fmt: skip
    assert "a * / b" in text and "c * / d" in text
