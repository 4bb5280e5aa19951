# SPDX-License-Identifier: GPL-2.0-only
"""The same ladder three times, the third with both cores kept busy: the same digits. About 2 minutes.

usage: python -m benchmarks.same_digits
"""

import multiprocessing
import os
import tempfile
import time
from pathlib import Path

from benchmarks._kassay import kassay

LADDER = ("ladder", "mprotect_toggle", "debian:6.12", "debian:6.16", "debian:6.17", "debian:6.19", "debian:7.0",
          "--format", "json")  # fmt: skip


def _burn(until: float) -> None:
    while time.monotonic() < until:
        pass


def main() -> None:
    """Prints the values of each ladder and whether every round of every run is equal."""
    place = Path(tempfile.mkdtemp(prefix="same-digits-"))
    seen = []
    for number in range(3):
        busy = [
            multiprocessing.Process(target=_burn, args=(time.monotonic() + 600,)) for _ in range(os.cpu_count() or 1)
        ]
        for process in busy if number == 2 else ():
            process.start()
        answer = kassay(*LADDER, "--out", str(place / str(number)))
        for process in busy if number == 2 else ():
            process.terminate()
            process.join()
        report = answer.json()
        values = [round(point["value"], 6) for point in report["ladder"]["points"]]
        print(
            f"{'busy' if number == 2 else 'idle'}: {answer.answered_s:5.1f} s, {report['runs']['ok']} runs: {values}",
            flush=True,
        )
        seen.append(report["findings"])
    print("every round of every run is", "the same to the digit" if seen[0] == seen[1] == seen[2] else "NOT the same")
    assert seen[0] == seen[1] == seen[2]


if __name__ == "__main__":
    main()
