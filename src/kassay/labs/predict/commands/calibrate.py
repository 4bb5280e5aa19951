# SPDX-License-Identifier: GPL-2.0-only
"""kassay calibrate: a timing file of this machine's CPU, and intervals from measured changes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.errors import BadInput

if TYPE_CHECKING:
    from kassay.labs.predict.calibrate.calibrate import Calibrated
    from kassay.labs.predict.calibrate.check import Checked
    from kassay.labs.predict.changes import Learned

_UNUSED = {
    "--check": ("--pairs", "--like", "--repeats", "--fresh", "--out"),
    "--pairs": ("--like", "--repeats", "--fresh"),
}
_HEADER = (
    "parameter, value and [range], in cycles, bytes or entries, or 0 for no and 1 for yes; "
    "the file says where each comes from"
)
_UNKNOWN = (
    "kassay has no file for this CPU. {name} was taken, the CPU of its vendor most like it by caches and features. "
    "What is listed as not measured is as of {name}, and may be wrong here. --like CPU takes another one."
)
_DISTURBED = (
    "Other programs, or other guests of the hypervisor, used {cpus:.1f} CPUs meanwhile. Memory and shared caches may "
    "have been slower for it, and the ranges do not show that. Repeat the command on a quiet machine."
)


def _calibrate(
    name: Annotated[
        str, Argument(metavar="[NAME]", help="Name of the timing file, for use with --predict NAME.")
    ] = "host",
    like: Annotated[
        str,
        Option(
            metavar="CPU",
            help="CPU whose file supplies what cannot be measured.",
            show_default="this CPU by its numbers, else the one of its vendor most like it by caches and features",
        ),
    ] = "",
    pairs: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Learn intervals from the measured changes in FILE (kassay-pairs/1). Measures nothing."
        ),
    ] = None,
    check: Annotated[
        bool,
        Option("--check", help="Check whether the file NAME belongs to this machine and still holds. Writes nothing."),
    ] = False,
    exit_code: Annotated[bool, Option("--exit-code", help="With --check: exit 1 if a value differs.")] = False,
    repeats: Annotated[int, Option(min=1, max=100, metavar="N", help="Number of passes over all probes.")] = 7,
    fresh: Annotated[bool, Option("--fresh", help="Discard what an interrupted calibration measured.")] = False,
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE.toml",
            help="Timing file to write.",
            show_default="$XDG_DATA_HOME/kassay/calibrations/NAME.toml",
        ),
    ] = None,
) -> int:
    """Measure this machine's CPU, and write a timing file for predictions of time.

    A few minutes; no root is needed. Latencies and throughputs of
    instructions, atomics and fences, the window, caches, memory, translation,
    mispredictions, string instructions, system calls, faults. Privileged
    instructions are measured in a virtual machine, if /dev/kvm can be used.
    What cannot be measured comes from the shipped file of the nearest CPU, and
    is marked. Interrupted, the same command goes on where it was.

    Keep the machine quiet: others on it make memory and the third level slower.
    """
    from kassay.commands._inputs import check_given, check_writable_place
    from kassay.commands._together import check_together

    check_together({"--exit-code": ("--check",)}, _UNUSED)
    if out is not None and out.suffix != ".toml":
        raise BadInput(f"--out {out}: a timing file's name ends in .toml", f"write --out {out}.toml")
    if out is not None:
        check_writable_place(out)
    check_given(pairs, "--pairs")
    if pairs is not None:
        return _learn(name, pairs, out)
    if check:
        return _check(name, exit_code)
    from kassay.commands._show import say, showing
    from kassay.labs.predict.calibrate.calibrate import calibrate

    with showing() as tell:
        done = calibrate(name, like=like, repeats=repeats, fresh=fresh, tell=tell, out=out)
    say(_summary(name, done))
    return 0


def _learn(name: str, pairs: Path, out: Path | None) -> int:
    from kassay.commands._show import say
    from kassay.labs.predict.calibrate.pairs import learn_file

    path, learned = learn_file(name, pairs, out)
    say(_learned(name, path, learned))
    return 0


def _check(name: str, exit_code: bool) -> int:
    from kassay.commands._show import say, showing
    from kassay.labs.predict.calibrate.check import check

    with showing() as tell:
        checked = check(name, tell)
    say(_checked(name, checked))
    return int(exit_code and bool(checked.differing))


def _checked(name: str, checked: "Checked") -> str:
    from kassay.labs.predict.timing import number_text

    lines = [
        f"{parameter}: {number_text(file)} in the file, {number_text(now)} measured now"
        for parameter, file, now in checked.differing
    ]
    lines += [
        f"{name} is of this machine. Values compared: {checked.compared}; that differ now: "
        f"{len(checked.differing)}. One differs if it is more than 15 % off and the ranges are more than 10 % apart."
    ]
    lines += _disturbed(checked.others)
    if checked.differing:
        again = f"{checked.name} --out {name}" if name.endswith(".toml") else name
        lines += [f"Check again on a quiet machine. If they still differ, calibrate again: kassay calibrate {again}"]
    return "\n".join([*lines, ""])


def _disturbed(cpus: float) -> list[str]:
    """A sentence if others used the machine meanwhile."""
    from kassay.labs.predict.calibrate.others import are_noted

    return [_DISTURBED.format(cpus=cpus)] if are_noted(cpus) else []


def _written(name: str, path: Path) -> str:
    """Path of the written file, and the word by which --predict finds it."""
    from kassay.labs.predict.timing import calibrations

    found = name if path == calibrations() / f"{name}.toml" else path
    return f"written: {path}\nuse it with: --predict {found}"


def _instructions(done: "Calibrated") -> str:
    if not done.forms:
        return f"instructions: not measured, as of {done.taken.name}"
    if not done.corrected:
        return f"instructions: the {done.forms} measured forms agree with {done.taken.name}"
    return f"instructions: {done.corrected} forms differ from {done.taken.name}, and have the measured times"


def _summary(name: str, done: "Calibrated") -> str:
    from kassay.labs.predict.timing import number_text

    timing = done.timing
    lines = [f"{timing.summary}", f"{timing.ghz.value:.2f} GHz", "", _HEADER]
    for key in done.measured:
        quantity = timing.parameters.get(key) or timing.system[key]
        spread = "" if quantity.low == quantity.high else f"[{number_text(quantity.low)}, {number_text(quantity.high)}]"
        lines.append(f"{key:22} {number_text(quantity.value):>10}  {spread}".rstrip())
    lines += ["", _instructions(done)]
    lines += ["", f"not measured, values of {done.taken.name} stand: {', '.join(done.left)}"]
    if timing.machine is not None and "syscall" in timing.machine.missing:
        lines += ["", f"privileged instructions were not measured: {timing.machine.missing['syscall']}"]
    if not done.taken.known:
        lines += ["", _UNKNOWN.format(name=done.taken.name)]
    if disturbed := _disturbed(done.others):
        lines += ["", *disturbed]
    if done.began:
        lines.append(f"{done.began} processes of an interrupted calibration were not repeated")
    return "\n".join([*lines, _written(name, done.path), ""])


def _learned(name: str, path: Path, learned: "Learned") -> str:
    table = learned.table
    weights = ", ".join(f"{cause} {weight:g}" for cause, weight in table.weights.items()) or "none: they do not help"
    lines = [
        f"{table.n} changes; intervals hold {table.level:.0%} of changes that were left out",
        f"error of changes left out: {learned.error:.1%} with weights, {learned.plain_error:.1%} without (median)",
        f"weights: {weights}",
        f"quantile: {table.quantile:g} of the score",
        f"causes that moved: {', '.join(f'{cause} in {count}' for cause, count in table.causes.items())}",
        f"furthest off: {', '.join(f'{name} ({score:.2f})' for name, score in learned.worst)}",
        _written(name, path),
    ]
    return "\n".join(lines) + "\n"


COMMAND = Command(name="calibrate", order=57, run=_calibrate)
