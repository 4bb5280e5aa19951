# SPDX-License-Identifier: GPL-2.0-only
"""Answer the questions of five mail threads again, and write docs/results/threads.

usage: python -m benchmarks.threads [--list] [--only THREAD] [--again] [--pages]

Runs are below kassay-out/threads. The same command continues there, and repeats no finished run. The patches of the
thread on small folios are put there first, by `python -m benchmarks.threads.from_mail THREAD.txt`.
"""

import argparse
import sys

from benchmarks.threads.measure import Kept, all_of, draft, stored
from benchmarks.threads.pages import PAGES, holds, index, page
from benchmarks.threads.questions import Thread, load, names
from benchmarks.threads.reply import reply


def main() -> int:
    """Measure what is missing and write the pages. The exit status is 1 if an answer's verdict no longer stands."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="show every command and its wall time, and run none")
    parser.add_argument("--only", metavar="THREAD", choices=names(), help="measure this thread only")
    parser.add_argument("--again", action="store_true", help="look at finished runs again")
    parser.add_argument("--pages", action="store_true", help="write the pages from stored figures, and run nothing")
    asked = parser.parse_args()
    threads = [load(name) for name in names()]
    chosen = [thread for thread in threads if asked.only in (None, thread.name)]
    if asked.list:
        costs(chosen)
        return 0
    kept = {thread.name: stored(thread) for thread in threads}
    if not asked.pages:
        costs(chosen, brief=True)
        for thread in chosen:
            kept[thread.name] = all_of(thread, asked.again)
            (PAGES / f"mail-{thread.name}.txt").write_text(draft(thread))
    missing = [f"{t.name}-{run.name}" for t in threads for run in t.run if run.name not in kept[t.name]]
    if missing:
        sys.exit(f"no page is written: {', '.join(missing)} not measured; run `make threads`")
    for thread in threads:
        (PAGES / f"{thread.name}.md").write_text(page(thread, kept[thread.name]))
        (PAGES / f"reply-{thread.name}.txt").write_text(reply(thread, kept[thread.name]))
    (PAGES / "README.md").write_text(index(threads, kept))
    return report(threads, kept)


def costs(threads: list[Thread], brief: bool = False) -> None:
    """Print what the runs cost, on standard error if they are run afterwards."""
    for thread in threads:
        seconds = sum(run.seconds for run in thread.run)
        to = sys.stderr if brief else sys.stdout
        print(f"{thread.name}: {len(thread.run)} runs, about {seconds // 60} min {seconds % 60} s", file=to)
        for run in () if brief else thread.run:
            print(f"  {run.seconds:5} s  {thread.shown(run)}")


def report(threads: list[Thread], kept: dict[str, dict[str, Kept]]) -> int:
    """Print the answers whose verdict the figures no longer bear."""
    fallen = [(t.name, q.asked) for t in threads for q in t.question if not holds(q, kept[t.name])]
    for name, question in fallen:
        print(f"{name}: the verdict no longer stands: {question}", file=sys.stderr)
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
