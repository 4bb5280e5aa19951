# SPDX-License-Identifier: GPL-2.0-only
"""The layout floor: one kernel, each workload, two plain runs and eight with things moved that should not matter.

usage: python -m benchmarks.layout_floor [variants] [kernel]     About 3 minutes on 2 idle cores.
Both sides of a comparison are the same kernel and draw their own variants; each side is counted for itself, and both
together, which is the spread that the table gives.
"""

import sys
import tempfile
from pathlib import Path

from benchmarks._kassay import kassay

WORKLOADS = (
    ("mprotect_toggle", "--set", "size=4MiB"),
    ("mprotect_toggle", "--set", "size=4MiB", "--set", "share=private"),
    ("mincore_scan", "--set", "size=4MiB"),
    ("madvise_pageout", "--set", "size=4MiB"),
    ("page_fault", "--set", "size=4MiB"),
    ("page_fault", "--set", "size=4MiB", "--set", "kind=shared_file"),
)


def main() -> None:
    """Prints one line per workload and metric: value, spread = (largest - smallest) / value, n, verdict."""
    variants = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    kernel = sys.argv[2] if len(sys.argv) > 2 else "debian:6.12"
    place = Path(tempfile.mkdtemp(prefix="floor-"))
    print(f"{kernel}: 2 x 2 plain runs, 2 x {variants} perturbed ones")
    print(f"{'workload':44} {'metric':10} {'value':>10} {'smallest':>12} {'largest':>12} {'spread':>10}  plain + moved")
    for number, (workload, *settings) in enumerate(WORKLOADS):
        words = ("compare", workload, kernel, kernel, *settings, "--perturb", str(variants), "--profile", "none")
        report = kassay(*words, "--format", "json", "--out", str(place / str(number))).json()
        for finding in report["findings"]:
            plain = [value for side in finding["sides"] for value in side["runs"]]
            moved = [value for side in finding["sides"] for value in side["perturbed"]]
            low, high = min(*plain, *moved), max(*plain, *moved)
            name = " ".join((workload, *(word for word in settings if word != "--set")))
            print(f"{name:44} {finding['metric']:10} {plain[0]:10.4f} {low:12.4f} {high:12.4f}", end=" ")
            spread = (high - low) / plain[0]
            print(f"{spread:10.4%}  {len(plain)} + {len(moved)}  {finding['verdict']}", flush=True)


if __name__ == "__main__":
    main()
