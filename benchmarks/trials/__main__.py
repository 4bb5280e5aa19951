# SPDX-License-Identifier: GPL-2.0-only
"""Trials by fault, for a night; a campaign that was killed goes on where it was.

usage: python -m benchmarks.trials [kills|faults|fuzz|selves|page] --out DIR [--budget 20m] [NAME...]

kills    kill -9 at random moments of each command that measures, and the same command again
faults   full disks, two commands on one directory, clock steps, a cache that vanishes   (as root)
fuzz     coverage-guided fuzzing of every parser of input from outside
selves   a kernel compared with itself: every verdict but "equivalent" is a find
page     saves DIR's totals in benchmarks/trials/campaigns, and writes docs/results/trials.md of all campaigns

DIR keeps a journal for each kind and what the trials found. NAME: only these commands, faults, targets or workloads.
Without a kind, all of them have an equal share of the budget.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.trials import faults, fuzz, kills, page, selves, totals
from benchmarks.trials.campaign import seconds_of

Campaign = Callable[[Path, Sequence[str], float, Mapping[str, int]], None]
CAMPAIGNS: Mapping[str, Campaign] = {"kills": kills.campaign, "faults": faults.campaign, "selves": selves.campaign}
KINDS = (*CAMPAIGNS, "fuzz")


def main() -> None:
    """Runs the chosen campaign until its budget is used up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=(*KINDS, "page"))
    parser.add_argument("--page", type=Path, default=Path("docs/results/trials.md"), help="the page to write")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--budget", type=seconds_of, default=1200.0, help="such as 90s, 20m or 8h; default 20m")
    parser.add_argument("--piece", type=seconds_of, default=60.0, help="one turn of a fuzzing target; default 60s")
    parser.add_argument("--seeds", type=Path, help="a directory that kassay measured: real inputs for fuzzing")
    asked = parser.parse_intermixed_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    out = asked.out.resolve()
    if asked.kind == "page":
        page.write(out, asked.page)
        return
    kinds = (asked.kind,) if asked.kind else KINDS
    known = totals.summed(one for one in totals.saved() if one.began != totals.began(out))
    for kind in kinds:
        deadline = time.monotonic() + asked.budget / len(kinds)
        earlier = [total for (one, _), total in known.items() if one == kind]
        if kind == "fuzz":
            executions = {total.name: total.count for total in earlier}
            fuzz.campaign(out, asked.names, deadline, asked.seeds, asked.piece, executions)
        elif kind == "faults" and (why := faults.obstacle()):
            print(f"no faults: {why}", file=sys.stderr)
        else:
            CAMPAIGNS[kind](out, asked.names, deadline, {total.name: total.trials for total in earlier})


if __name__ == "__main__":
    main()
