# SPDX-License-Identifier: GPL-2.0-only
"""Questions of the seeds' threads, answered from source: the compiler, the patch or the commit that did it.

usage: python -m benchmarks.from_source [codegen|series|gap|commits|noisy|releases|edit ...]: all, about an hour
Builds real kernels; what is built is kept, so that a second run takes minutes. Prints markdown.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import _guilty
from benchmarks._kassay import Answer, kassay
from kassay.model.build import parse_build
from kassay.model.progress import silent
from kassay.supply.building.source import source_tree

EXAMPLES = _guilty.EXAMPLES
# Without ACPI a quarter less is compiled, four times; counts need no clock.
SMALL = ",config=lab+CONFIG_ACPI=n+CONFIG_X86_PM_TIMER=n"
OLD, NEW = "build:debian-source:6.16", "build:debian-source:7.3"
COMPILERS = ("gcc-12", "gcc-13", "clang-16", "clang-18")
GENERAL = f"{NEW}+{EXAMPLES}/mprotect-general.patch"
PLACE = Path("kassay-out")


def codegen() -> None:
    """Seed 001: mincore_pte_range as it is, without the batching, and with present PTEs first."""
    patches = ("", *(f"+{EXAMPLES}/mincore-{name}.patch" for name in ("one-at-a-time", "present-first")))
    variants = [f"{OLD}{patch}{SMALL}" for patch in patches]
    words = ("codegen", "mincore_pte_range", *variants, "--source", "mm/mincore.c", "--cc", ",".join(COMPILERS))
    show(kassay(*words, "--measure", "mincore_scan", "--format", "markdown", "--out", str(PLACE / "codegen.html")))


def series() -> None:
    """Seed 002: what 7.3 does for order-0 folios, patch by patch, and which __always_inline it is."""
    words = ("series", "folio_write_protect", "--base", GENERAL, "--patches", str(EXAMPLES / "mprotect-order-0"))
    show(kassay(*words, "--annotations", "--alone", "--format", "mail"))


def gap() -> None:
    """Seed 000: what 7.3 takes back of what 6.19 costs more than 6.16."""
    for workload in ("mprotect_toggle", "mincore_scan"):
        show(kassay("gap", workload, "debian:6.16", "debian:6.19", "debian:7.3", "--format", "markdown"))


def commits() -> None:
    """A commit out of 32, past one that does not build and one that panics."""
    show(searched("exact"))


def releases() -> None:
    """The same question over the archive, newest patch level of each series."""
    show(kassay("bisect", "mprotect_toggle", "--good", "debian:6.12", "--bad", "debian:7.3", "--every", "series"))
    show(kassay("bisect", "mincore_scan", "--good", "debian:6.16", "--bad", "debian:7.3", "--every", "series"))


def noisy() -> None:
    """The same commit by emulated time: on a host that is kept busy, then on one that is busy every other while."""
    always = "while True: pass"
    at_times = "import time, random\nr = random.Random(1)\nwhile True:\n t = time.monotonic() + r.uniform(10, 40)\n"
    at_times += " while time.monotonic() < t: pass\n time.sleep(r.uniform(10, 40))"
    for name, load in (("always", always), ("at-times", at_times)):
        busy = [subprocess.Popen((sys.executable, "-c", load)) for _ in range(2)]
        try:
            show(searched(f"noisy-{name}", "--clock", "tcg"))
        finally:
            for one in busy:
                one.kill()
                one.wait()


def edit() -> None:
    """Seconds from an edit of mm/mprotect.c to an itemised verdict, and of the same command without an edit."""
    tree, _ = source_tree(parse_build(NEW.removeprefix("build:")), silent)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name, "linux.git")
        _guilty.make(place, tree, commits=3, guilty=1, unbuildable=-1, unbootable=-1)
        base = f"build:{place}@good"
        kassay("compare", "mprotect_toggle", base, f"{base}+{EXAMPLES}/mprotect-general.patch", "--out", f"{name}/warm")
        for number in range(3):
            patch = Path(name, f"edit-{number}.patch")
            patch.write_text(_edit(number))
            started = time.monotonic()
            told = kassay("compare", "mprotect_toggle", base, f"{base}+{patch}", "--out", f"{name}/{number}")
            print(f"edit {number}: answer after {told.answered_s:.1f} s, page after {time.monotonic() - started:.1f} s")


def searched(name: str, *more: str) -> Answer:
    """The search in a history that is made anew each time, and is the same each time."""
    tree, _ = source_tree(parse_build(NEW.removeprefix("build:")), silent)
    place = Path(tempfile.mkdtemp(), "linux.git")
    guilty = _guilty.make(place, tree)
    print(f"guilty: {guilty}\n")
    words = ("--good", f"build:{place}@good", "--bad", f"build:{place}@main", "--out", str(PLACE / f"bisect-{name}"))
    return kassay("bisect", "mprotect_toggle", *words, "--fresh", *more)


def show(answer: Answer) -> None:
    """The answer, and how long it took; what went wrong instead, if it did."""
    print(answer.text if answer.status == 0 else answer.errors, f"({answer.ended_s:.0f} s)\n", flush=True)


def _edit(number: int) -> str:
    """Another constant each time, in the path of every present PTE."""
    return (
        "--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n@@ -111,2 +111,3 @@\n"
        f" \tif (!folio_test_large(folio))\n+\t\tif (max_nr_ptes != {100000 + number})\n \t\treturn 1;\n"
    )


def main() -> None:
    """Runs what is named."""
    parts = {one.__name__: one for one in (codegen, series, gap, commits, noisy, releases, edit)}
    for name in sys.argv[1:] or parts:
        print(f"## {name}: {(parts[name].__doc__ or '').strip()}\n", flush=True)
        parts[name]()


if __name__ == "__main__":
    main()
