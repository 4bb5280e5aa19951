# SPDX-License-Identifier: GPL-2.0-only
"""A kernel compared with itself: no verdict but "equivalent" is right; refusals and open answers are counted apart."""

import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks import same_work
from benchmarks._kassay import kassay
from benchmarks.trials.campaign import FIND, NONE, Result, read, run, tell, turns
from kassay.spec.load import suite_workloads

KERNELS = ("debian:6.12", "debian:6.17", "debian:6.19", "debian:7.3")
ARM64 = ("debian:6.12", "debian:7.3")
_WRONG = ("regression", "improvement")
_ONE_IN = {"arm64": 16, "short": 30, "four": 16, "two": 12}
"""One trial in so many has another architecture, boots without a snapshot, has four CPUs or two."""
_SIZES = {"--rounds": "4", "--repeats": "2", "--perturb": "1", "--format": "json"}
_LACKS = 3
"""Exit status: this host, or this kernel, lacks something."""


def campaign(directory: Path, chosen: Sequence[str], deadline: float, earlier: Mapping[str, int] = NONE) -> None:
    """Compares kernels with themselves until the deadline, each workload and program in turn."""
    known = [name for name in names() if not chosen or name in chosen]
    for name, number in turns(known, read(directory), "selves", deadline, earlier):
        tell(run(directory, "selves", name, number, lambda r, n=name, i=number: _compared(directory, n, i, r)))  # type: ignore[misc]


def names() -> tuple[str, ...]:
    """Workloads of the suite mm, and programs that do the same work on all kernels."""
    programs = sorted(path.stem for path in _programs().glob("*.c"))
    return (*(use.name for use in suite_workloads("mm")), *(f"program:{name}" for name in programs))


def words_of(name: str, number: int, random: Random) -> tuple[str, ...]:
    """The command of one trial, without --out."""
    arm64 = random.randrange(_ONE_IN["arm64"]) == 0
    kernel = random.choice(ARM64 if arm64 else KERNELS)
    cpus = "4" if random.randrange(_ONE_IN["four"]) == 0 else "2" if random.randrange(_ONE_IN["two"]) == 0 else "1"
    plain = arm64 or cpus != "1"  # such a machine has no snapshots
    boot = "short" if plain or random.randrange(_ONE_IN["short"]) == 0 else "snapshot"
    program = name.removeprefix("program:")
    subject = ("--program", str(_programs() / f"{program}.c")) if program != name else (name, *_settings(name, random))
    machine = ("--arch", "arm64" if arm64 else "x86_64", "--boot", boot, "--cpus", cpus)
    sizes = (word for pair in _SIZES.items() for word in pair)
    return ("compare", *subject, kernel, kernel, *machine, *sizes, "--seed", str(1000 + number))


def _settings(name: str, random: Random) -> tuple[str, ...]:
    """The suite's settings of a workload, one value of each."""
    (use,) = (use for use in suite_workloads("mm") if use.name == name)
    return tuple(word for axis in use.axes for word in ("--set", f"{axis.name}={random.choice(axis.values)}"))


def _programs() -> Path:
    return Path(same_work.__file__).parent / "same"


def _compared(directory: Path, name: str, number: int, random: Random) -> Result:
    out = directory / "selves" / f"{name.replace(':', '-')}-{number}"
    started = time.monotonic()
    answer = kassay(*words_of(name, number, random), "--out", str(out))
    if answer.status == _LACKS:
        shutil.rmtree(out, ignore_errors=True)
        return Result(0, "not possible", (answer.errors.strip().splitlines() or [""])[0][:200])
    if answer.status:
        return Result(
            0, FIND, f"status {answer.status} after {time.monotonic() - started:.0f} s: {answer.errors[-300:]}"
        )
    findings = answer.json()["findings"]
    verdicts = Counter(f"{finding['verdict']}" for finding in findings)
    wrong = [f"{finding['metric']} {finding['verdict']}" for finding in findings if finding["verdict"] in _WRONG]
    if wrong:
        return Result(len(findings), FIND, f"{', '.join(wrong)}; see {out}")
    shutil.rmtree(out)
    others = {verdict: count for verdict, count in verdicts.items() if verdict != "equivalent"}
    words = ", ".join(f"{verdict} {count}" for verdict, count in sorted(others.items()))
    return Result(len(findings), sorted(others)[0] if others else "ok", words)
