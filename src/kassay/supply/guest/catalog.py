# SPDX-License-Identifier: GPL-2.0-only
"""Which workloads there are, as they describe themselves, and settings checked against them."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import msgspec

from kassay.effects import process
from kassay.effects.files import derived_text
from kassay.errors import BadInput, Defect, KassayError, unknown
from kassay.model.machine import STATE_OPTIONS
from kassay.model.program import GROUP
from kassay.model.records import Setting, from_json
from kassay.model.units import format_bytes, parse_bytes
from kassay.model.workload import GROUPS, Parameter, Workload
from kassay.registry import is_extension
from kassay.supply.applications import application_names
from kassay.supply.arches import Arch, this_host
from kassay.supply.guest import sources
from kassay.supply.guest.compile import build

_AT_A_TIME = 2  # programs that are built to be described


class _Described(Mapping[str, Workload]):
    """Every workload by name; a program is built when its description is first asked for and not kept yet."""

    def __init__(self) -> None:
        self._names = sources.workload_names()
        self._described: dict[str, Workload] = {}
        files = ("describe.c", *sources.headers())
        self._common = hashlib.sha256(b"\0".join(sources.path_of(file).read_bytes() for file in files))

    def __getitem__(self, name: str) -> Workload:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._described:
            digest = self._common.copy()
            digest.update(sources.path_of(f"workloads/{name}.c").read_bytes())
            text = derived_text(f"workload-{name}-{digest.hexdigest()[:32]}.json", lambda: _describe(name))
            self._described[name] = from_json(text, Workload)
        return self._described[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


@cache
def workloads() -> Mapping[str, Workload]:
    """Every workload by name, each described by its program's --describe when it is looked up.

    Then raises HostLacks when it cannot be built here, Defect when it describes itself wrongly, BadInput when it is one
    of KASSAY_PATH.
    """
    return _Described()


def grouped() -> tuple[tuple[str, tuple[Workload, ...]], ...]:
    """All workloads as (group, members by name): kassay's groups in their order, then others. Raises as workloads()."""
    workloads_by_name = workloads()
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        described = list(pool.map(workloads_by_name.__getitem__, workloads_by_name))
    names = dict.fromkeys((*GROUPS, *(workload.group for workload in described)))
    members = ((group, tuple(w for w in described if w.group == group)) for group in names)
    return tuple((group, group_members) for group, group_members in members if group_members)


def find(workloads_by_name: Mapping[str, Workload], name: str) -> Workload:
    """The workload `name`. Raises BadInput that says what to write for a case of one, or lists the known ones."""
    if name not in workloads_by_name:
        raise _not_found(workloads_by_name, name)
    return workloads_by_name[name]


def check_name(name: str) -> None:
    """Raises BadInput as find() does; from the names of the files, so that nothing is built for one that there is."""
    if name not in (*sources.workload_names(), *application_names()):
        raise _not_found(workloads(), name)


def _not_found(workloads_by_name: Mapping[str, Workload], name: str) -> BadInput:
    """For a name that is the value of a parameter (mprot_tw4m of mprot), what to write instead."""
    families = (workloads_by_name[family] for family in workloads_by_name if name.startswith(f"{family}_"))
    for workload, parameter in ((w, p) for w in families for p in w.parameters):
        if name in parameter.choices:
            way_out = f"write {workload.name} --set {parameter.name}={name}"
            return BadInput(f"{name} is a case of the workload {workload.name}", way_out)
    if "/" in name or name.endswith((".c", ".cc", ".cpp")):
        return BadInput(f"{name}: a program, and no workload", f"write --program {name} in place of the workload")
    return unknown("unknown workload", name, (*workloads_by_name, *application_names()))


def settings(workload: Workload, given: Sequence[Setting], arch: Arch) -> tuple[Setting, ...]:
    """Every parameter in declared order: as given, else its default; sizes in their shortest form ("8MiB"), whole pages
    of the architecture.

    Raises BadInput with all problems at once.
    """
    parameters = {parameter.name: parameter for parameter in workload.parameters}
    values = {name: _read(parameter, parameter.default, arch) for name, parameter in parameters.items()}
    problems, given_names = [], set()
    for setting in given:
        if setting.name not in parameters:
            problems.append(f"unknown parameter {setting.name!r}")
            continue
        if setting.name in given_names:
            problems.append(f"{setting.name} is given twice")
        given_names.add(setting.name)
        try:
            values[setting.name] = _read(parameters[setting.name], setting.value, arch)
        except ValueError as error:
            problems.append(f"{setting.name}: {error}")
    if problems:
        raise BadInput(
            f"workload {workload.name}: {'; '.join(problems)}",
            "a program has parameters if words of --args have braces, as in {size}, or if it is a testcase()"
            if workload.group == GROUP
            else f"parameters: {', '.join(parameters) or 'none'}; see `kassay workloads {workload.name}`",
        )
    return tuple(Setting(name=name, value=value) for name, value in values.items())


def _read(parameter: Parameter, text: str, arch: Arch) -> str:
    """A value in its normal form. Raises ValueError with a sentence."""
    if parameter.kind == "word":
        return text
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


def _describe(name: str) -> str:
    """The JSON text of the program's --describe, checked."""
    program = build(name, this_host().name)
    done = process.run((str(program), "--describe"), timeout_s=20)
    try:
        workload = from_json(done.out.encode(), Workload)
    except msgspec.DecodeError as error:
        what = f"its description cannot be read (--describe ended with status {done.status}: {error})"
        raise _wrong(name, what, "set all words of the workload, its parameters and phases") from error
    if workload.name != name or workload.describe != "kassay-workload/1":
        what = f"describes itself as {workload.name!r}, {workload.describe!r}"
        raise _wrong(name, what, f'write .name = "{name}", or rename the file')
    texts = (workload.summary, workload.subject, workload.state, *(phase.definition for phase in workload.phases))
    if not all(texts):
        raise _wrong(name, "its description has empty texts", "write .summary, .subject, .state and each .definition")
    if sum(phase.primary for phase in workload.phases) != 1:
        raise _wrong(
            name, "not one phase of it is the primary one", "mark one phase, which verdicts are about, with true"
        )
    if wrong_terms := [
        term for conflict in workload.conflicts for term in conflict.terms if not _is_term(term, workload)
    ]:
        remedy = f"write NAME=VALUE or NAME!=VALUE of a choice, or {', '.join(STATE_OPTIONS)}"
        raise _wrong(name, f"its conflicts have {', '.join(wrong_terms)}, which cannot be asked for", remedy)
    return done.out


def _is_term(term: str, workload: Workload) -> bool:
    """True if a term of a conflict can hold for the workload."""
    name, _, value = term.partition("=")
    choices = {parameter.name: parameter.choices for parameter in workload.parameters}
    return term in STATE_OPTIONS or value in choices.get(name.removesuffix("!"), ())


def _wrong(name: str, what: str, remedy: str) -> KassayError:
    """Error for a workload with a wrong description: the user's mistake in KASSAY_PATH, else a defect of kassay."""
    path = sources.path_of(f"workloads/{name}.c")
    return BadInput(f"{path}: {what}", remedy) if is_extension(path) else Defect(f"workload {name}: {what}")
