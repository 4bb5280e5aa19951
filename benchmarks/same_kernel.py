# SPDX-License-Identifier: GPL-2.0-only
"""A kernel against itself, thirty times: no false verdict. About 8 minutes on 2 idle cores.

usage: python -m benchmarks.same_kernel [directory]
Each comparison has another seed, so both sides draw other perturbations each time.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks._kassay import kassay

CASES = (
    ("mprotect_toggle", "debian:6.12", ("--set", "size=4MiB")),
    ("mprotect_toggle", "debian:6.17", ("--set", "size=4MiB", "--set", "share=private")),
    ("mincore_scan", "debian:6.19", ("--set", "size=4MiB")),
    ("madvise_pageout", "debian:6.17", ("--set", "size=4MiB", "--set", "pages=base")),
    ("page_fault", "debian:6.12", ("--set", "size=4MiB")),
    ("page_fault", "debian:7.0", ("--set", "size=4MiB", "--set", "kind=shared_file")),
)


def main() -> None:
    """Prints one line per comparison and the count of each verdict."""
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="same-kernel-"))
    verdicts: Counter[str] = Counter()
    for number in range(30):
        workload, kernel, settings = CASES[number % len(CASES)]
        words = ("compare", workload, kernel, kernel, *settings, "--seed", str(100 + number), "--format", "json")
        answer = kassay(*words, "--out", str(place / str(number)))
        for finding in answer.json()["findings"]:
            verdicts[f"{finding['verdict']}/{finding['evidence']}"] += 1
            low, high = finding["interval"] or (float("nan"), float("nan"))
            print(f"{number:2} {workload:16} {kernel:12} {finding['metric']:10} {finding['verdict']:14}"
                  f" {finding['evidence']:8} [{low:+.4%}, {high:+.4%}]", flush=True)  # fmt: skip
    print(dict(verdicts))


if __name__ == "__main__":
    main()
