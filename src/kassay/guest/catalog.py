# SPDX-License-Identifier: GPL-2.0-only
"""Which workloads there are, as they describe themselves, and settings checked against them."""

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import msgspec

from kassay.arches import Arch, of_machine
from kassay.effects import process
from kassay.errors import BadInput, Defect, HostLacks, KassayError, unknown
from kassay.guest import sources
from kassay.guest.compile import build
from kassay.model.records import Setting, from_json
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import Parameter, Workload
from kassay.registry import is_extension


@cache
def workloads() -> Mapping[str, Workload]:
    """Every workload by name, from its program's --describe.

    Raises HostLacks when they cannot be built here, Defect when one describes itself wrongly, BadInput when that is one
    of KASSAY_PATH.
    """
    return MappingProxyType({name: _describe(name) for name in sources.workload_names()})


def find(known: Mapping[str, Workload], name: str) -> Workload:
    """The workload `name`. Raises BadInput that lists the known ones."""
    if name not in known:
        raise unknown("unknown workload", name, known)
    return known[name]


def check_name(name: str) -> None:
    """Raises BadInput as find() does; from the names of the files, so that nothing is built."""
    known = sources.workload_names()
    if name not in known:
        raise unknown("unknown workload", name, known)


def settings(workload: Workload, given: Sequence[Setting], arch: Arch) -> tuple[Setting, ...]:
    """Every parameter in declared order: as given, else its default; sizes in their shortest form ("8MiB"), whole pages
    of the architecture.

    Raises BadInput with all problems at once.
    """
    known = {parameter.name: parameter for parameter in workload.parameters}
    values = {name: _read(parameter, parameter.default, arch) for name, parameter in known.items()}
    problems, seen = [], set()
    for setting in given:
        if setting.name not in known:
            problems.append(f"unknown parameter {setting.name!r}")
            continue
        if setting.name in seen:
            problems.append(f"{setting.name} is given twice")
        seen.add(setting.name)
        try:
            values[setting.name] = _read(known[setting.name], setting.value, arch)
        except ValueError as error:
            problems.append(f"{setting.name}: {error}")
    if problems:
        raise BadInput(
            f"workload {workload.name}: {'; '.join(problems)}",
            f"parameters: {', '.join(known) or 'none'}; see `kassay workloads {workload.name}`",
        )
    return tuple(Setting(name=name, value=value) for name, value in values.items())


def _read(parameter: Parameter, text: str, arch: Arch) -> str:
    """A value in its normal form. Raises ValueError with a sentence."""
    if parameter.kind == "choice":
        if text not in parameter.choices:
            raise ValueError(f"{text!r} is not one of {', '.join(parameter.choices)}")
        return text
    number = parse_bytes(text) if parameter.kind == "size" else _whole(text)
    show = format_bytes if parameter.kind == "size" else str
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(f"{text!r} is outside {show(low or 0)} .. {show(high) if high is not None else 'any'}")
    if parameter.kind == "size" and number % arch.page_bytes:
        raise ValueError(f"{text!r} is not a multiple of {format_bytes(arch.page_bytes)}")
    return show(number)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError(f"{text!r} is not a whole number")
    return int(text)


def _describe(name: str) -> Workload:
    host = of_machine(platform.machine())
    if host is None:
        raise HostLacks(f"this host is a {platform.machine()}", "use one of an architecture that kassay knows")
    program = build(name, host.name, compiler="gcc")
    done = process.run((str(program), "--describe"), timeout_s=20)
    try:
        workload = from_json(done.out.encode(), Workload)
    except msgspec.DecodeError as error:
        what = f"its description cannot be read (--describe ended with status {done.status}: {error})"
        raise _wrong(name, what, "set all words of the workload, its parameters and phases") from error
    if workload.name != name or workload.describe != "kassay-workload/1":
        what = f"describes itself as {workload.name!r}, {workload.describe!r}"
        raise _wrong(name, what, f'write .name = "{name}", or rename the file')
    words = (workload.summary, workload.subject, workload.state, *(phase.definition for phase in workload.phases))
    if not all(words):
        raise _wrong(name, "its description has empty texts", "write .summary, .subject, .state and each .definition")
    if sum(phase.primary for phase in workload.phases) != 1:
        raise _wrong(
            name, "not one phase of it is the primary one", "mark one phase, which verdicts are about, with true"
        )
    return workload


def _wrong(name: str, what: str, remedy: str) -> KassayError:
    """Of a workload that describes itself wrongly: the user's mistake in KASSAY_PATH, else kassay's."""
    path = sources.path_of(f"workloads/{name}.c")
    return BadInput(f"{path}: {what}", remedy) if is_extension(path) else Defect(f"workload {name}: {what}")
