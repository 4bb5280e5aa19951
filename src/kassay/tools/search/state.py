# SPDX-License-Identifier: GPL-2.0-only
"""A field of the state as the value of a search, and the settings at boot that may have made it differ."""

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import structs

from kassay.errors import BadInput, nearest_of
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.model.bisect import Bisection, Default, Observation, SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress, Tell
from kassay.model.run import Measurement

ABSENT = "absent"
"""Value of a field that a kernel does not report."""
DEFAULTS = "defaults"
"""Run directories of the settings that were tried."""
_MOMENTS = ("before", "after")
_PARAMETERS = {
    "thp.enabled": "transparent_hugepage={}", "thp.shmem_enabled": "transparent_hugepage_shmem={}",
}  # fmt: skip


def state_of(field: str, measurement: Measurement) -> str:
    """Value of "FIELD" before the measured region, or of "after:FIELD". Raises BadInput for what is no field."""
    moment, _, name = field.rpartition(":")
    if moment not in ("", *_MOMENTS):
        raise BadInput(
            f"--state {field}: unknown moment {moment!r}", f"write one of {', '.join(_MOMENTS)}, or FIELD alone"
        )
    fields = dict(measurement.after if moment == "after" else measurement.before)
    if name not in fields and "." not in name:
        raise BadInput(f"--state {field}: no field of the state", nearest_of(name, sorted(fields)))
    return fields.get(name) or ABSENT


def numbered(state: str, log: Sequence[Observation]) -> float:
    """Number of a state: from 1, in the order in which the states of a log were seen."""
    seen = list(dict.fromkeys(entry.state for entry in log if entry.state))
    return float(seen.index(state) + 1 if state in seen else len(seen) + 1)


def parameter(setting: str, value: str) -> str:
    """Kernel parameter that gives a setting this value at boot; empty if there is none."""
    if setting in _PARAMETERS:
        return _PARAMETERS[setting].format(value)
    group, _, name = setting.partition(".")
    if group == "vm":
        return f"sysctl.vm.{name}={value}"
    return f"thp_anon={name.removesuffix('kB')}K:{value}" if group == "thp" and name.endswith("kB") else ""


def differing(before: Measurement, after: Measurement, field: str) -> tuple[tuple[str, str, str], ...]:
    """Settings that a kernel parameter can give and that differ, with both values; not the searched one itself."""
    left, right = dict(before.before), dict(after.before)
    return tuple(
        (name, value, other)
        for name, value in left.items()
        if name != field and value and (other := right.get(name)) and other != value and parameter(name, value)
    )


def with_defaults(
    question: SearchQuestion, directory: Path, bisection: Bisection, directories: tuple[Path, Path], tell: Tell,
    measure_run: Callable[[Experiment, Path, Tell], None],
) -> Bisection:  # fmt: skip
    """The search with each differing setting tried: the first kernel with the change gets the value of the one before.

    directories: of the boots of these two kernels, in this order.
    """
    step, field = bisection.steps[0], bisection.state or ""
    before, after = (_measurement(path) for path in directories)
    if before is None or after is None:
        return bisection
    tried = []
    for setting, value, other in differing(before, after, field):
        given = parameter(setting, value)
        tell(Progress(stage="bisect", subject=setting, text=f"is {value}, then {other}: tried with {given}"))
        use = question.probe.kernels[0]
        candidate = question.candidates[step.first]
        use = structs.replace(use, ref=candidate.ref, cmdline=f"{use.cmdline} {given}".strip())
        path = directory / DEFAULTS / setting
        measure_run(structs.replace(question.probe, kernels=(use,)), path, tell)
        found = _measurement(path)
        state = "" if found is None else state_of(field, found)
        decides = state == bisection.state_at(step.last_without)
        tried.append(Default(setting=setting, before=value, after=other, parameter=given, state=state, decides=decides))
    return structs.replace(bisection, defaults=tuple(tried))


def _measurement(directory: Path) -> Measurement | None:
    folder = open_directory(directory)
    evidence = collect(folder, folder.records())
    return next((item.measurements[0] for item in evidence if item.measurements), None)
