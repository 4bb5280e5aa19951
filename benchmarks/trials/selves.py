# SPDX-License-Identifier: GPL-2.0-only
"""A kernel compared with itself: no verdict but "equivalent" is right; refusals and open answers are counted apart.

One command compares a group of workloads and programs on one machine, so that they share what does not depend on them:
the start of kassay, its checks, and the kernel's boot that the snapshots are made from.
"""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import same_work
from benchmarks._kassay import kassay
from benchmarks.trials.campaign import FIND, NONE, Result, generator, keep, next_numbers, read, tell
from benchmarks.trials.kills import LACKS, waited_for_host
from kassay.spec.load import suite_workloads

KERNELS = ("debian:6.12", "debian:6.17", "debian:6.18", "debian:7.3")
ARM64 = ("debian:6.12", "debian:7.3")
_WRONG = ("regression", "improvement")
_ONE_IN = {"arm64": 16, "short": 30, "four": 16, "two": 12}
"""One group in so many has another architecture, boots without a snapshot, has four CPUs or two."""
_SIZES = {"rounds": 4, "repeats": 2, "perturb": 1, "timeout_s": 900}
"""A run has a quarter of an hour: a busy host is no find."""
_TOGETHER = 12
"""Workloads and programs of one group."""


def campaign(directory: Path, chosen: Sequence[str], deadline: float, earlier: Mapping[str, int] = NONE) -> None:
    """Compares kernels with themselves until the deadline, always the names with the fewest trials."""
    known = [name for name in names() if not chosen or name in chosen]
    numbers = next_numbers(read(directory), "selves")
    numbers.update(earlier)
    while known and time.monotonic() < deadline:
        group = sorted(known, key=lambda one: (numbers[one], known.index(one)))[:_TOGETHER]
        _compare(directory, {name: numbers[name] for name in group})
        numbers.update(group)


def names() -> tuple[str, ...]:
    """Workloads of the suite mm, and programs that do the same work on all kernels."""
    programs = sorted(path.stem for path in _programs().glob("*.c"))
    return (*(use.name for use in suite_workloads("mm")), *(f"program:{name}" for name in programs))


def spec_of(group: Mapping[str, int]) -> str:
    """The experiment of a group: {name: number of the trial}. The first one's random numbers choose the machine."""
    first = next(iter(group))
    random = generator("selves", first, group[first])
    arm64 = random.randrange(_ONE_IN["arm64"]) == 0
    kernel = random.choice(ARM64 if arm64 else KERNELS)
    cpus = 4 if random.randrange(_ONE_IN["four"]) == 0 else 2 if random.randrange(_ONE_IN["two"]) == 0 else 1
    plain = arm64 or cpus != 1  # such a machine has no snapshots
    boot = "short" if plain or random.randrange(_ONE_IN["short"]) == 0 else "snapshot"
    machine = {"arch": "arm64" if arm64 else "x86_64", "boot": boot, "cpus": [cpus], "clock": "icount"}
    asked = {"schema": "kassay-experiment/1", "kernels": [kernel, kernel], **machine, **_SIZES,
             "seed": 1000 + group[first]}  # fmt: skip
    lines = [f"{key} = {json.dumps(value)}" for key, value in asked.items()]
    return "\n".join([*lines, *(_workload(name, number) for name, number in group.items())]) + "\n"


def _workload(name: str, number: int) -> str:
    """A program of users, or a workload with one value of each of the suite's settings."""
    if (program := name.removeprefix("program:")) != name:
        return f"[[workloads]]\nprogram = {json.dumps(str(_programs() / f'{program}.c'))}"
    random = generator("selves", name, number)
    (use,) = (use for use in suite_workloads("mm") if use.name == name)
    chosen = [f"set.{axis.name} = {json.dumps(str(random.choice(axis.values)))}" for axis in use.axes]
    return "\n".join(["[[workloads]]", f'name = "{name}"', *chosen])


def _programs() -> Path:
    return Path(same_work.__file__).parent / "same"


def _compare(directory: Path, group: Mapping[str, int]) -> None:
    """Compares a group, and keeps one trial for each of its names. If the command fails, each is compared alone."""
    first = next(iter(group))
    out = directory / "selves" / f"{first.replace(':', '-')}-{group[first]}-{len(group)}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "spec.toml").write_text(spec_of(group))
    words = ("run", str(out / "spec.toml"), "--format", "json", "--out", str(out / "runs"))
    answer = kassay(*words)
    while waited_for_host(answer.status, answer.errors):
        answer = kassay(*words)
    if answer.status and len(group) > 1:
        shutil.rmtree(out)
        for name, number in group.items():
            _compare(directory, {name: number})
        return
    results = {first: _failed(answer.status, answer.errors)} if answer.status else _judged(answer.json(), group, out)
    for name, result in results.items():
        tell(keep(directory, "selves", name, group[name], result, answer.ended_s / len(group)))
    if all(result.outcome != FIND for result in results.values()):
        shutil.rmtree(out)


def _failed(status: int, errors: str) -> Result:
    if status == LACKS:
        return Result(0, "not possible", (errors.strip().splitlines() or [""])[0][:200])
    return Result(0, FIND, f"status {status}: {errors[-300:]}")


def _judged(report: Mapping[str, Any], group: Mapping[str, int], out: Path) -> Mapping[str, Result]:
    """The result of each name, from the findings about it."""
    findings: dict[str, list[dict[str, Any]]] = {name: [] for name in group}
    for finding in report["findings"]:
        findings[_name_of(finding["workload"], group)].append(finding)
    return {name: _outcome(own, out) for name, own in findings.items()}


def _name_of(workload: str, group: Mapping[str, int]) -> str:
    return workload if workload in group else f"program:{workload}"


def _outcome(findings: Sequence[Mapping[str, Any]], out: Path) -> Result:
    if not findings:
        return Result(0, FIND, f"no finding; see {out}")
    verdicts = [str(finding["verdict"]) for finding in findings]
    wrong = [f"{finding['metric']} {finding['verdict']}" for finding in findings if finding["verdict"] in _WRONG]
    if wrong:
        return Result(len(findings), FIND, f"{', '.join(wrong)}; see {out}")
    others = sorted({verdict for verdict in verdicts if verdict != "equivalent"})
    words = ", ".join(f"{verdict} {verdicts.count(verdict)}" for verdict in others)
    return Result(len(findings), others[0] if others else "ok", words)
