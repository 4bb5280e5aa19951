# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the corpus in real guests: those that do other work on one kernel are refused, another is not."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from benchmarks.same_work.__main__ import ANSWERS, programs

from kassay import answers
from kassay.model.finding import Finding
from kassay.model.reason_texts import reason_text
from tests.boot.conftest import NEW, OLD, measured

pytestmark = pytest.mark.boot

CHOSEN = {
    "guard_fallback": "mprotect()",
    "release_length": "mmap() bytes",
    "child_length": "mmap() bytes of its children and threads",
    "give_back": "",
}
"""Difference of each program on one kernel only: calls since Linux 6.13, other lengths, other lengths in a child,
none."""


IN_DOUBT = {
    "release_items": "process_madvise()",
    "release_option": "setsockopt()",
    "release_turned": "mprotect() found",
    "release_named": "and 3 more system calls found other things",
    "release_cached": "pread64() found",
}
"""Text in a reason for the doubt about each program: it makes as many calls on both kernels, on other things."""
SWAPPED = {"release_swapped": "kB in swap"}


def primary(directory: Path, names: Iterable[str], *options: str) -> dict[str, Finding]:
    """Primary findings of programs of the corpus, all of one experiment."""
    known = {program.name: program for program in programs()}
    lines = [
        f'question = "compare"\nkernels = ["{OLD}", "{NEW}"]\nboot = "snapshot"\nrounds = 2\nrepeats = 1\nperturb = 0',
        *options,
    ]
    for name in names:
        words = known[name].options
        region = dict(zip(words[::2], words[1::2], strict=True))
        points = [
            f'{key} = "{region[option]}"' for key, option in (("from", "--from"), ("to", "--to")) if option in region
        ]
        lines.append("\n".join(("[[workloads]]", f'program = "{known[name].path}"', *points)))
    measured("\n".join(lines), directory / "d")
    return {finding.workload: finding for finding in answers.findings(directory / "d") if finding.primary}


def test_programs_that_do_other_work_are_refused_and_one_that_does_not_is_answered(tmp_path: Path) -> None:
    found = primary(tmp_path, CHOSEN)
    for name, differs in CHOSEN.items():
        fields = [difference.field for difference in found[name].differences]
        if differs:
            assert found[name].verdict == "different-work" and differs in fields, (name, found[name])
        else:
            assert found[name].verdict in ANSWERS and not fields, (name, found[name])


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "options"), [(IN_DOUBT, ()), (SWAPPED, ('swap = "zram:64MiB"',))])
def test_programs_whose_calls_work_on_other_things_have_no_verdict(
    texts: dict[str, str], options: tuple[str, ...], tmp_path: Path
) -> None:
    found = primary(tmp_path, texts, *options)
    for name, text in texts.items():
        reasons = [reason_text(why) for why in found[name].reasons]
        assert found[name].verdict in ("inconclusive", "different-work"), (name, found[name])
        assert any(text in why for why in reasons), (name, reasons)
