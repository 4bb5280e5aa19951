# SPDX-License-Identifier: GPL-2.0-only
"""Ways of branches that `kassay profile --branches` derives from counts, held against the traces of the same runs.

usage: python -m benchmarks.branch_ways DIR...     directories that were made with --predict

Prints for each run: ways of branches in complete rounds, how many are exact and equal to the trace, how many are a
range that holds it, how many are wrong, and the share of executions that is exact.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.predict.trace_stream import steps

from kassay.evidence.profile.branches import BranchWays, flow_of
from kassay.evidence.profile.counters import RawProfile
from kassay.evidence.profile.ends import kernel_ran
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profiles import raw_of, report_of, symbols_of
from kassay.journal import artifacts
from kassay.journal.directory import open_directory
from kassay.labs.predict.trace import TraceBlock, read_trace

Ways = Mapping[int, Counter[tuple[int, int]]]
"""Round -> (address of a block's last instruction, address of the block that followed) -> times."""


def ways_of_trace(data: bytes) -> Ways:
    """Blocks that followed each block, where both ran in one context of one CPU and the first ran to its end."""
    trace = read_trace(data)
    ways: dict[int, Counter[tuple[int, int]]] = {number: Counter() for number in trace.complete_rounds}
    before: dict[int, tuple[int, int, TraceBlock] | None] = {}
    for step in steps(data):
        block, last = trace.blocks[step.block], before.get(step.cpu)
        if last is not None and last[:2] == (step.round, step.context) and step.round in ways:
            ways[step.round][last[2].start + sum(last[2].lengths[:-1]), block.start] += 1
        before[step.cpu] = (step.round, step.context, block) if step.left is None else None
    return ways


def ways_of_counts(raw: RawProfile, symbols: Symbols, number: int) -> Mapping[int, BranchWays]:
    """The branches of one round, by address."""
    sums = raw.sums([number], range(raw.intervals))
    return flow_of(raw, sums, kernel_ran(raw, sums), symbols).branches


def compared(branches: Mapping[int, BranchWays], ways: Counter[tuple[int, int]]) -> Counter[str]:
    """Branches by how they hold; `executed` and `settled` count executions, all and those of exact branches."""
    found: Counter[str] = Counter()
    for address, branch in branches.items():
        taken, passed = ways[address, branch.target], ways[address, branch.end.behind]
        least, most = branch.taken
        found["executed"] += branch.end.ran
        found["settled"] += branch.end.ran * (least == most)
        if taken + passed != branch.end.ran:  # an interrupt came between the branch and what followed
            found["not in the trace"] += 1
        elif not least <= taken <= most:
            found["wrong"] += 1
        else:
            found["exact" if least == most else "range"] += 1
    return found


def main() -> None:
    """Compares the runs of each directory that recorded a trace."""
    for name in sys.argv[1:]:
        folder = open_directory(Path(name))
        for record in folder.records():
            raw = raw_of(folder.path, record)
            if record.outcome != "ok" or record.trace is None or raw is None:
                continue
            ways = ways_of_trace(artifacts.get(folder.path, record.trace))
            symbols = symbols_of(folder.path, record, report_of(folder.path, record))
            found: Counter[str] = Counter()
            for number, followed in ways.items():
                found += compared(ways_of_counts(raw, symbols, number), followed)
            words = (f"{found[word]} {word}" for word in ("exact", "range", "wrong", "not in the trace"))
            print(f"{name} {record.run}: {', '.join(words)}; {found['settled'] / found['executed']:.2%} of executions")


if __name__ == "__main__":
    main()
