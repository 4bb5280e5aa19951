# SPDX-License-Identifier: GPL-2.0-only
"""Who notices: every application of the suite on five kernels, and what four changes cost them.

usage: python -m benchmarks.applications DIR [PAGE]     DIR keeps the runs, and what is there is only read

Each application has a directory of its own, so that a changed one is measured again alone. Writes the tables between
their markers in PAGE (docs/results/applications-found.md).
"""

import sys
import time
import tomllib
from pathlib import Path

import msgspec

from benchmarks import _applications as tables
from benchmarks._kassay import kassay
from benchmarks.predict_truth import placed
from kassay.labs.notice.model import Notice
from kassay.model.report import Report
from kassay.pipeline import answer
from kassay.spec.suites import suites

KERNELS = ("debian:6.12", "debian:6.16", "debian:6.17", "debian:6.19", "debian:7.3")
OPTIONS = ("--rounds", "2", "--repeats", "2", "--perturb", "0", "--boot", "snapshot")
FINDINGS = {
    "mprotect_toggle": ("debian:6.16", "debian:6.17", "mprotect_toggle", "share=shared", "pages=base"),
    "mincore_scan": ("debian:6.17", "debian:6.19", "mincore_scan"),
    "folio_fork": ("debian:6.17", "debian:7.3", "folio_fork", "order=0"),
    "madvise_free": ("debian:6.12", "debian:6.16", "madvise_free"),
}
"""Findings whose functions are sought in the applications: the steps of 6.17 and 6.19, and two of the suite mm."""


def main() -> None:
    """Measures what is not there yet, prints the tables, and writes them to the page."""
    directory, page = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
    names = [use["name"] for use in tomllib.loads(suites()["apps"].read_text())["workloads"]]
    measured = {name: report for name in names if (report := _measured(directory / name, name)) is not None}
    reports = list(measured.values())
    runs = [word for name in measured for word in ("--runs", str(directory / name))]
    notices = [_noticed(directory / "findings" / name, asked, runs) for name, asked in FINDINGS.items()]
    parts = {
        "shares": tables.shares(reports), "parts": tables.parts(reports), "entries": tables.entries(reports),
        "functions": tables.functions(reports), "changes": tables.changes(reports),
        "notices": tables.noticed(notices),
        "cost": tables.cost(reports),
    }  # fmt: skip
    for name, text in parts.items():
        print(f"## {name}\n\n{text}\n")
    if page is not None:
        page.write_text(placed(page.read_text(), {f"applications: {name}": text for name, text in parts.items()}))


def _measured(directory: Path, name: str) -> Report | None:
    """The answer of one application; None, with the error on the screen, when it has none."""
    began = time.monotonic()
    asked = kassay("ladder", name, *KERNELS, *OPTIONS, "--out", str(directory), "--format", "json")
    print(f"{name}: status {asked.status}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    if asked.status not in (0, 4):
        print(asked.errors[-600:], file=sys.stderr)
        return None
    return answer(directory)


def _noticed(directory: Path, asked: tuple[str, ...], runs: list[str]) -> Notice:
    """Who notices one finding, with the sizes of their calls. asked: base, head, workload, settings."""
    base, head, workload, *settings = asked
    words = [word for setting in settings for word in ("--set", setting)]
    kassay("compare", workload, base, head, *words, "--out", str(directory), "--boot", "snapshot", "--format", "json")
    found = kassay("notice", str(directory), base, head, *runs, "--format", "json")
    if found.status not in (0, 4):
        raise SystemExit(found.errors[-600:])
    return msgspec.json.decode(found.text, type=Notice)


if __name__ == "__main__":
    main()
