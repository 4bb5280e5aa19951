# SPDX-License-Identifier: GPL-2.0-only
"""A workload from outside: the one of docs/how-to/extending.md, listed, measured, handed on; files that are none."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kassay.effects.files import cache_directory
from kassay.errors import BadInput
from kassay.registry import EXTENSIONS
from kassay.supply.guest import catalog
from tests.commands.test_completion import asking
from tests.extending.outside import ROOT, Outside, documented_examples, outside

FILE = "guest/workloads/mlock_cycle.c"
TEXT = documented_examples()[FILE]
QUICK = ("--set", "size=64KiB", "--rounds", "4", "--repeats", "1", "--perturb", "0", "--boot", "snapshot")


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    found = outside(tmp_path_factory.mktemp("workload"))
    found.add(FILE, TEXT)
    return found


def test_it_is_listed_described_completed_and_guessed(added: Outside) -> None:
    assert re.search(r"^mlock_cycle +mlock\(\) and munlock\(\) of a whole", added.kassay("workloads"), re.M)
    shown = added.kassay("workloads", "mlock_cycle")
    assert "required state: one private anonymous mapping" in shown and "From before to after one mlock()" in shown
    environment = {**os.environ, **asking("bash", "compare", "mlock_c"), EXTENSIONS: str(added.extensions)}
    argv = (sys.executable, "-c", "import sys; sys.argv = ['kassay']; from kassay.cli import main; main()")
    assert subprocess.run(argv, env=environment, capture_output=True, text=True).stdout.split() == ["mlock_cycle"]
    assert "did you mean mlock_cycle?" in added.kassay("workloads", "mlock_cycl", status=2)
    words = ("compare", "mlock_cycle", "host", "host", "--clock", "host")
    refused = added.kassay(*words, "--set", "length=1MiB", status=2)
    assert "workload mlock_cycle: unknown parameter 'length'" in refused


@pytest.mark.slow  # builds programs with sanitizers
def test_the_tests_of_the_contract_take_it_up(added: Outside) -> None:
    tests = ("tests/guest/test_workloads.py", "tests/guest/test_reproducer.py")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, "-k", "mlock_cycle"]
    environment = {**os.environ, EXTENSIONS: str(added.extensions)}
    done = subprocess.run((*argv, "-m", "not slow"), cwd=ROOT, env=environment, capture_output=True, text=True)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0 and passed is not None and int(passed[1]) >= 7, done.stdout


@pytest.fixture(scope="module")
def measured(added: Outside) -> Outside:
    """A run of one kernel against itself, from a snapshot."""
    images = sorted((cache_directory() / "kernels").glob("*/kernel.json"))
    image = next((path.parent / "image" for path in images if '"arch":"x86_64"' in path.read_text()), Path())
    if not image.is_file():
        pytest.skip("no kernel in the store: kassay kernels fetch debian:6.12")
    (added.work / "kernel").symlink_to(image)
    again(added, "d")
    return added


def again(added: Outside, out: str) -> None:
    added.kassay("compare", "mlock_cycle", "image:kernel", "image:kernel", *QUICK, "--out", out)


@pytest.mark.boot
def test_it_is_measured_and_itemised(measured: Outside) -> None:
    report = json.loads(measured.ended("report", "d", "--format", "json").out)
    finding = report["findings"][0]
    assert (finding["workload"], finding["metric"], finding["verdict"]) == ("mlock_cycle", "lock", "equivalent")
    assert "Locking and unlocking a resident private mapping of 64KiB" in report["verdict"]
    profile = measured.kassay("profile", "d", "--kernel", "image:kernel (base)", "--top", "0")
    assert "mlock" in profile and "unattributed" in profile


@pytest.mark.boot
def test_a_snapshot_serves_its_program_also_when_that_has_changed(measured: Outside) -> None:
    snapshots = measured.work / "cache" / "kassay" / "snapshots"

    def count() -> int:
        return sum(not path.suffix for path in snapshots.iterdir())

    before = count()
    measured.add(FILE, TEXT.replace("munlock() of a whole", "munlock() of the whole"))
    again(measured, "changed")
    assert count() == before
    measured.add(FILE, TEXT)


@pytest.mark.boot
def test_a_bundle_of_it_is_verified_and_measured_again_where_the_directory_is_missing(
    measured: Outside, tmp_path: Path
) -> None:
    packed = measured.kassay("bundle", "pack", "d", "--out", "bundle")
    assert "the very programs that were measured" in packed
    bundle = measured.work / "bundle"
    assert (bundle / "source" / FILE).read_text() == TEXT
    assert "SYS_mlock" in (bundle / "reproducer.c").read_text()
    other = outside(tmp_path)
    assert "unknown workload 'mlock_cycle'" in other.kassay("workloads", "mlock_cycle", status=2)
    assert "holds." in other.kassay("bundle", "verify", str(bundle))
    (other.work / "kernel").symlink_to((measured.work / "kernel").resolve())
    snapshots = "cache/kassay/snapshots"  # the machine is the same
    (other.work / snapshots).symlink_to(measured.work / snapshots)
    again = other.kassay("bundle", "rerun", str(bundle), "--out", "again", "--exit-code")
    assert "the same to the digit: 2 runs" in again
    assert "Locking and unlocking" in other.kassay("report", "again")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("page_fault", TEXT, "guest/workloads/page_fault.c: there is a .*/guest/workloads/page_fault.c already"),
        ("init", TEXT, "guest/workloads/init.c: init is the guest's first program"),
        (
            "broken", TEXT.replace("return 0;", "return nothing;"),
            r"workloads/broken\.c:\d+:\d+: error: .nothing. undeclared",
        ),
        ("missing", f'#include "absent.h"\n{TEXT}', r"workloads/missing\.c:1:\d+: fatal error: absent\.h"),
        ("plain", "int nothing;\n", r"workloads/plain\.c: describes no workload"),
        ("other", TEXT, r"workloads/other\.c: describes itself as 'mlock_cycle'"),
        ("silent", TEXT.replace("mlock_cycle", "silent").replace('.state = "one', '.notes = "one'), r"silent\.c:\d+"),
        (
            "empty", re.sub(r'\.state = "[^"]*"', '.state = ""', TEXT.replace("mlock_cycle", "empty")),
            r"workloads/empty\.c: its description has empty texts",
        ),
        (
            "unset", re.sub(r'\.state = "[^"]*",', "", TEXT.replace("mlock_cycle", "unset")),
            r"workloads/unset\.c: its description cannot be read",
        ),
        (
            "contrary",
            TEXT.replace("mlock_cycle", "contrary").replace(".params", '.conflicts = {{{"--mem"}, "x"}}, .params'),
            r"workloads/contrary\.c: its conflicts have --mem, which cannot be asked for",
        ),
        (
            "headless", TEXT.replace("mlock_cycle", "headless").replace("pages.\", true", "pages.\", false"),
            r"workloads/headless\.c: not one phase of it is the primary one",
        ),
    ],
)  # fmt: skip
def test_a_file_that_is_no_workload_is_refused_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, words: str
) -> None:
    found = outside(tmp_path)
    found.add(f"guest/workloads/{name}.c", text)
    monkeypatch.setenv(EXTENSIONS, str(found.extensions))
    with pytest.raises(BadInput, match=words) as refused:
        catalog.workloads.__wrapped__()[name]
    assert str(found.extensions) in refused.value.what
