# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of user programs, measured and predicted: `python -m benchmarks.predict_pairs measure [PASSES]` on the machine
whose times are wanted.
"""

import sys

import msgspec

from benchmarks._pairs import MEASURED, pairs
from benchmarks._pairs_time import NOISY, timed


def measure(passes: int) -> None:
    found = timed(pairs(), passes, lambda line: print(line, file=sys.stderr))
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    noisy = [one for one in found.pairs if one.spread > NOISY]
    print(f"{len(found.pairs)} pairs at {found.ghz} GHz; too noisy to judge by: {len(noisy)}")
    for one in noisy:
        print(f"  {one.base} > {one.head}: {one.ratio:.3g}, quartiles {100 * one.spread:.0f} % apart")


def main() -> None:
    match sys.argv[1:]:
        case ["measure", *passes]:
            measure(int(passes[0]) if passes else 9)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
