# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 at twenty random moments of a ladder, and resume each time: nothing lost, nothing doubled.

usage: python -m benchmarks.kills [seed]     About 3 minutes on 2 idle cores.
"""

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._kassay import argv, kassay
from kassay.journal.journal import read_journal

LADDER = ("ladder", "mprotect_toggle", "debian:6.12", "debian:6.16", "debian:6.17", "--set", "size=4MiB",
          "--perturb", "4", "--format", "json")  # fmt: skip
KILLS = 20


def main() -> None:
    """Prints each kill, and whether the answer is that of an undisturbed ladder."""
    draw = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    place = Path(tempfile.mkdtemp(prefix="kills-"))
    journal = place / "killed" / "journal.jsonl"
    before: list[str] = []
    for number in range(1, KILLS + 1):
        child = subprocess.Popen(argv(*LADDER, "--out", str(place / "killed")), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)  # fmt: skip
        moment = draw.uniform(0.2, 6.0)
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        child.wait()
        seen = [record.run for record in read_journal(journal)] if journal.exists() else []
        assert seen[: len(before)] == before, "a finished run was lost"
        assert len(set(seen)) == len(seen), "a run was made twice"
        before = seen
        print(f"kill {number:2} after {moment:4.1f} s: {len(seen)} runs kept", flush=True)
    last = kassay(*LADDER, "--out", str(place / "killed")).json()
    whole = kassay(*LADDER, "--out", str(place / "whole")).json()
    runs = [record.run for record in read_journal(journal)]
    assert runs[: len(before)] == before and len(set(runs)) == len(runs) == last["runs"]["planned"]
    same = all(json.dumps(last[key]) == json.dumps(whole[key]) for key in ("findings", "ladders", "verdict", "audits"))
    print(f"{len(runs)} runs, each once; the answer is {'the same to the digit' if same else 'DIFFERENT'}")
    assert same


if __name__ == "__main__":
    main()
