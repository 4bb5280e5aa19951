# SPDX-License-Identifier: GPL-2.0-only
"""Pairs of user programs, measured and predicted.

python -m benchmarks.predict_pairs measure [PASSES]
    on the machine whose times are wanted; writes benchmarks/pairs/measured.json
python -m benchmarks.predict_pairs trace DIR
    both sides of every pair, in the guest
python -m benchmarks.predict_pairs table CPU DIR [PAGE.md]
    every way of predicting beside what was measured; CPU as --predict takes it
python -m benchmarks.predict_pairs worst CPU DIR [N]
    the pairs that the model is most wrong about, by cause
python -m benchmarks.predict_pairs changes CPU DIR FILE
    what a calibration may learn from: nothing that is held out
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks._pairs import MEASURED, measured, pairs, sides, sources_sha256
from benchmarks._pairs_predict import Others, all_causes, changes, llvm_cpu, others_of, rows
from benchmarks._pairs_score import Row, table_of_pairs, table_of_scores, worst
from benchmarks._pairs_time import NOISY, timed
from benchmarks._pairs_trace import keep, kept, traced
from kassay.labs.predict.changes import SCHEMA, Changes
from kassay.labs.predict.timing import timing_for

_WHY = """\
- **Work beside a chain** (`imul4_add40`): a core gives a micro-operation its port when it is dispatched, and older
  additions then stand in front of the multiplication that everything waits for. The model gives ports out at issue, so
  that a chain never waits for work that does not matter.
- **Lines of one set** (`stride:65536:4096`): sixteen lines that are 4 KiB apart take 7.5 cycles each, more than the
  second level's rate explains. The model has only that rate.
- **Kernel code of another kernel** (`read_zero`, `fault`, `map`): the host runs its own kernel, the guest Debian's. The
  host clears by `rep stosb` what the guest, whose CPU has no fast short strings, clears by 8 bytes; and under the
  hypervisor a fault costs what no instruction shows.
- **The third level of a machine with neighbours** (chases of 2 to 16 MiB): what is left of it changes from minute to
  minute; `l3_lifetime` is one number for that.
"""


def measure(passes: int) -> None:
    found = timed(pairs(), passes, lambda line: print(line, file=sys.stderr))
    MEASURED.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    noisy = [one for one in found.pairs if one.spread > NOISY]
    print(f"{len(found.pairs)} pairs at {found.ghz} GHz; too noisy to judge by: {len(noisy)}")
    for one in noisy:
        print(f"  {one.base} > {one.head}: {one.ratio:.3g}, halves of the passes {100 * one.spread:.0f} % apart")


def trace(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    keep(traced(sides(), directory, lambda line: print(line, file=sys.stderr)), sources_sha256(), directory)


def predicted(cpu: str, directory: Path, *, simpler: bool = True) -> tuple[Row, ...]:
    """simpler: the other ways as well; their minutes are spent once for a DIR and a CPU."""
    times, timing = measured(), timing_for(cpu)
    runs, operations = kept(directory, sources_sha256(), times.sources)
    place = directory / f"simple-{llvm_cpu(timing)}.json"
    others: dict[str, Others] = {}
    if simpler and not place.is_file():
        for run in runs:
            others.update(others_of(run, timing, operations))
        place.write_bytes(msgspec.json.encode(others))
    elif simpler:
        others = msgspec.json.decode(place.read_bytes(), type=dict[str, Others])
    return rows(pairs(), all_causes(runs, timing, operations), others, times, timing)


def _page(cpu: str, found: tuple[Row, ...]) -> Iterator[str]:
    times = measured()
    named = ", ".join(f"{name} {value}" for name, value in times.machine.items())
    noisy = sum(not row.judged for row in found)
    yield "# Pairs of programs: time as measured and as predicted\n"
    held = sum(row.held_out for row in found)
    yield (
        f"`python -m benchmarks.predict_pairs` makes this page. {len(found)} pairs, one change each "
        f"(benchmarks/pairs/); {held} were marked as held out when they were written, before anything was predicted, "
        f"and nothing is fitted to them. {noisy} are too noisy on the host to judge by: the ratios of the odd and the "
        f"even ones of {times.passes} passes are more than {NOISY:.0%} apart; they are listed and not counted. "
        "Two of the held-out ones were seen while the model was made: "
        "`depth:24` > `depth:96` led to the predictor of returns beyond the stack, and `pointer_random:8` agreed with "
        "how indirect branches are predicted. Without them the held-out rows below change by a percent at most.\n"
    )
    yield (
        f"Measured on: {named}, at {times.ghz} GHz. Predicted for: {cpu}, from one trace of the same bytes in the "
        "guest. An error is |predicted / measured - 1| of the ratio head / base; a sign is asked for where the "
        "measured change is 5 % or more.\n"
    )
    yield table_of_scores(found) + "\n"
    yield (
        "counts: instructions and string iterations. weighted: accesses and instructions by 1 (first level), 5 (last "
        "level) and 35 (memory). llvm-mca: 4000 instructions of the round as straight-line code.\n"
    )
    yield "## Where it is most wrong, and why\n"
    yield _WHY
    yield f"Time of both sides by cause, of pairs that were not held out:\n\n```\n{worst(found, 12)}\n```\n"
    yield "## Every pair\n"
    yield table_of_pairs(found)


def main() -> None:
    match sys.argv[1:]:
        case ["measure", *passes]:
            measure(int(passes[0]) if passes else 12)
        case ["trace", directory]:
            trace(Path(directory))
        case ["table", cpu, directory, *page]:
            text = "\n".join(_page(cpu, predicted(cpu, Path(directory))))
            _ = Path(page[0]).write_text(text + "\n") if page else print(text)
        case ["worst", cpu, directory, *count]:
            print(worst(predicted(cpu, Path(directory), simpler=False), int(count[0]) if count else 20))
        case ["changes", cpu, directory, file]:
            found = Changes(schema=SCHEMA, cpu=cpu, pairs=changes(predicted(cpu, Path(directory), simpler=False)))
            Path(file).write_bytes(msgspec.json.encode(found))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
