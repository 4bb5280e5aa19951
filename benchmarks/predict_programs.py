# SPDX-License-Identifier: GPL-2.0-only
"""Ten small programs that no model was made for: predicted time beside the time on this machine.

usage: python -m benchmarks.predict_programs TIMING [PAGE] [--runs DIR]

TIMING is a timing file of this machine, such as `host`. Each program of benchmarks/programs is compared with itself by
`kassay compare --clock icount,host --predict TIMING`. The table is printed, and written between its markers in PAGE.
DIR (kassay-out/programs) keeps the runs: a killed command goes on where it was, and a later model answers them anew.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks._kassay import kassay
from benchmarks.predict_truth import placed
from kassay.labs.predict.here import TimedHere, timed_in
from kassay.labs.predict.timing import timing_for

FOLDER = Path(__file__).with_name("programs")
KERNEL = "debian:6.18"
OPTIONS = ("--rounds", "8", "--repeats", "1", "--perturb", "0", "--profile", "none", "--link=-lm")
RUNS = Path("kassay-out/programs")
_CAUSES = 3


class Row(NamedTuple):
    """One program. predicted: ns of one execution, and of each cause, the largest one first."""

    name: str
    predicted: float
    causes: tuple[tuple[str, float], ...]
    doubts: tuple[str, ...]
    timed: TimedHere

    @property
    def error(self) -> float:
        return self.predicted / self.timed.ns - 1


def row(program: Path, timing: str, runs: Path) -> Row | str:
    """Measures a program, or answers from its runs; a text where that failed."""
    directory = runs / program.stem
    words = ["compare", "--program", str(program), KERNEL, KERNEL, *OPTIONS, "--clock", "icount,host",
             "--predict", timing, "--format", "json", "--out", str(directory)]  # fmt: skip
    print(f"{program.stem}: kassay {' '.join(words)}", file=sys.stderr)
    answer = kassay(*words)
    timed = timed_in(directory)
    if not answer.text.startswith("{") or timed is None:
        return f"{program.stem}: {answer.errors.strip()[-300:]}"
    finding = next(f for f in answer.json()["findings"] if f["primary"])
    (made,) = finding["predictions"]
    causes = sorted(((cause["cause"], cause["head_ns"]) for cause in made["causes"]), key=lambda pair: -pair[1])
    return Row(program.stem, made["head_ns"], tuple(causes[:_CAUSES]), tuple(made["doubts"]), timed)


def table(rows: Sequence[Row]) -> str:
    """One line a program, then the score."""
    titles = (
        "program",
        "predicted, us",
        "measured, us",
        "least and median",
        "n",
        "error",
        "most of the predicted time",
    )
    lines = [f"| {' | '.join(titles)} |", "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for one in rows:
        timed, causes = one.timed, ", ".join(f"{cause} {ns / one.predicted:.0%}" for cause, ns in one.causes)
        spread = f"{timed.low / 1000:,.0f} to {timed.high / 1000:,.0f}".replace(",", " ")
        figures = f"{one.predicted / 1000:,.0f} | {timed.ns / 1000:,.0f}".replace(",", " ")
        lines.append(f"| `{one.name}` | {figures} | {spread} | {timed.n} | {one.error:+.0%} | {causes} |")
    errors = sorted(abs(one.error) for one in rows)
    close = sum(error <= 0.1 for error in errors)
    lines.append(f"\n{len(rows)} programs: median error {statistics.median(errors):.0%}, {close} within 10%, largest "
                 f"{errors[-1]:.0%}.")  # fmt: skip
    return "\n".join(lines) + "\n"


def machine(timing: str) -> str:
    """Name the machine, and the timing file that predicted."""
    file = timing_for(timing)
    words = ", ".join(f"{name} {value}" for name, value in file.machine.cpuinfo.items()) if file.machine else ""
    kernel = file.machine.kernel if file.machine else ""
    under = f", under {file.machine.hypervisor}" if file.machine and file.machine.hypervisor else ""
    return f"Measured on: {words}, {kernel}{under}, at {file.ghz.value:.2f} GHz. Predicted for: {file.name}.\n"


def main() -> None:
    """Prints the table, and writes it to the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timing")
    parser.add_argument("page", nargs="?", type=Path)
    parser.add_argument("--runs", type=Path, default=RUNS)
    asked = parser.parse_args()
    made = [row(program, asked.timing, asked.runs) for program in sorted(FOLDER.glob("*.c"))]
    for problem in made:
        if isinstance(problem, str):
            sys.exit(problem)
    rows = [one for one in made if isinstance(one, Row)]
    parts = {"machine": machine(asked.timing), "programs": table(rows)}
    print("\n".join(parts.values()))
    print(json.dumps({one.name: one.doubts for one in rows}))
    if asked.page:
        asked.page.write_text(placed(asked.page.read_text(), parts))


if __name__ == "__main__":
    main()
