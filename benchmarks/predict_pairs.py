# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of user programs, measured and predicted.

python -m benchmarks.predict_pairs measure [PASSES]
    on the machine whose times are wanted; writes benchmarks/pairs/measured.json
python -m benchmarks.predict_pairs trace DIR
    both sides of every pair, in the guest
"""

import sys
from pathlib import Path

import msgspec

from benchmarks._pairs import MEASURED, pairs, sides, sources_sha256
from benchmarks._pairs_time import NOISY, timed
from benchmarks._pairs_trace import operations, traced

_RUNS = "runs.json"


def measure(passes: int) -> None:
    found = timed(pairs(), passes, lambda line: print(line, file=sys.stderr))
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    noisy = [one for one in found.pairs if one.spread > NOISY]
    print(f"{len(found.pairs)} pairs at {found.ghz} GHz; too noisy to judge by: {len(noisy)}")
    for one in noisy:
        print(f"  {one.base} > {one.head}: {one.ratio:.3g}, halves of the passes {100 * one.spread:.0f} % apart")


def trace(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    runs = [
        {"sides": run.sides, "record": run.record}
        for run in traced(sides(), directory, lambda line: print(line, file=sys.stderr))
    ]
    found = {"sources": sources_sha256(), "operations": operations(sides()), "runs": runs}
    (directory / _RUNS).write_bytes(msgspec.json.encode(found))


def main() -> None:
    match sys.argv[1:]:
        case ["measure", *passes]:
            measure(int(passes[0]) if passes else 12)
        case ["trace", directory]:
            trace(Path(directory))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
