# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the corpus in real guests: those that do other work on one kernel are refused, another is not."""

from pathlib import Path

import pytest
from benchmarks.same_work.__main__ import ANSWERS, programs

from tests.boot.conftest import NEW, OLD, Kassay

pytestmark = pytest.mark.boot

CHOSEN = {
    "guard_fallback": "mprotect()",
    "release_length": "mmap() bytes",
    "child_length": "mmap() bytes of its children and threads",
    "give_back": "",
}
"""Difference of each program on one kernel only: calls since Linux 6.13, other lengths, other lengths in a child,
none."""


def test_programs_that_do_other_work_are_refused_and_one_that_does_not_is_answered(
    kassay: Kassay, tmp_path: Path
) -> None:
    paths = {program.name: program.path for program in programs()}
    lines = [
        f'question = "compare"\nkernels = ["{OLD}", "{NEW}"]\nboot = "snapshot"\nrounds = 2\nrepeats = 1\nperturb = 0'
    ]
    lines += [f'[[workloads]]\nprogram = "{paths[name]}"' for name in CHOSEN]
    (tmp_path / "work.toml").write_text("\n".join(lines))
    ran = kassay("run", str(tmp_path / "work.toml"), "--format", "json", "--out", str(tmp_path / "d"))
    found = {finding["workload"]: finding for finding in ran.json()["findings"] if finding["primary"]}
    for name, differs in CHOSEN.items():
        fields = [difference["field"] for difference in found[name]["differences"]]
        if differs:
            assert found[name]["verdict"] == "different-work" and differs in fields, (name, found[name])
        else:
            assert found[name]["verdict"] in ANSWERS and not fields, (name, found[name])
