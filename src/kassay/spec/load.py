# SPDX-License-Identifier: GPL-2.0-only
"""Experiment files: TOML -> Experiment, strict, every problem with its location in the file; and back."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, structs

from kassay.errors import BadInput, nearest_of, wrong_value
from kassay.model.application import ROUNDS, TIMEOUT_S, memory_for
from kassay.model.experiment import SCHEMA, Axis, Experiment, WorkloadUse
from kassay.model.kernel import full_ref
from kassay.model.program import name_of
from kassay.model.records import from_plain
from kassay.model.units import format_bytes, parse_bytes
from kassay.spec import programs
from kassay.spec.rules import problems
from kassay.spec.suites import table_of
from kassay.supply.applications import application, is_application
from kassay.supply.clocks import measuring
from kassay.supply.cpus import cpu_called

_KERNEL_KEYS = ("ref", "cmdline", "name", "against", "cpu", "draw")
_WORKLOAD_KEYS = ("name", "set")
_WORKLOAD_AND_KERNELS = {"schema", "kernels", "workloads"}
_PLAIN_KEYS = tuple(name for name in Experiment.__struct_fields__ if name not in _WORKLOAD_AND_KERNELS)
_KEYS = ("schema", "kernels", "workloads", "suite", *_PLAIN_KEYS)
_SUITE_KEYS = ("summary", "workloads")


def load(path: Path) -> Experiment:
    """Reads an experiment file. Raises BadInput with every problem, each with its dotted location."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"{path}: {error.strerror}", "give the path of an experiment file; see docs/reference/experiment.md"
        ) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 text (byte {error.start})") from error
    return parse(text, str(path))


def suite_of(path: Path) -> str:
    """The suite that an experiment file, which load() has read, takes in place of workloads; "" for none."""
    return str(tomllib.loads(path.read_text(encoding="utf-8")).get("suite", ""))


def parse(text: str, origin: str) -> Experiment:
    """Reads the text of an experiment file; `origin` names it in errors."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin}: {error}") from error
    errors: list[str] = []
    _unknown(table, _KEYS, "", errors)
    if table.get("schema", SCHEMA) != SCHEMA:
        errors.append(f"schema: {table['schema']!r}, but this version reads {SCHEMA!r}")
    plain = {**_defaults(table.get("clock")), **{key: table[key] for key in _PLAIN_KEYS if key in table}}
    plain["kernels"] = [_kernel(entry, i, errors) for i, entry in enumerate(_list(table, "kernels", errors))]
    plain["workloads"] = _workloads(table, errors)
    plain["memory_bytes"] = _sizes(table.get("memory_bytes", ["1GiB"]), errors)
    _fail(errors, origin)
    plain |= _of_applications(plain["workloads"], table)
    try:
        experiment = from_plain({"name": Path(origin).stem, "question": "compare", **plain}, Experiment)
    except msgspec.ValidationError as error:
        raise BadInput(f"{origin}: {wrong_value(error)}", "docs/reference/experiment.md has every key") from error
    return check(experiment, origin)


def check(experiment: Experiment, origin: str) -> Experiment:
    """The experiment with each CPU by its own name. Raises BadInput with all problems at once."""
    experiment = _with_cpus(experiment)
    _fail(list(problems(experiment)), origin)
    return experiment


def _with_cpus(experiment: Experiment) -> Experiment:
    """The experiment with skylake_sp where the user wrote skylake-sp."""
    kernels = tuple(structs.replace(use, cpu=cpu_called(use.cpu)) if use.cpu else use for use in experiment.kernels)
    cpus = UNSET if experiment.cpu is UNSET else tuple(map(cpu_called, experiment.cpu))
    return structs.replace(experiment, kernels=kernels, cpu=cpus)


def dump(experiment: Experiment) -> str:
    """The experiment as a file that load() reads back to the same record."""
    lines = [f"schema = {_text(SCHEMA)}"]
    for key in _PLAIN_KEYS:
        value = getattr(experiment, key)
        if key == "memory_bytes":
            value = tuple(format_bytes(size) for size in value)
        lines += [f"{key} = {_value(value)}"] if value is not UNSET else []
    for kernel in experiment.kernels:
        lines += ["", "[[kernels]]", f"ref = {_text(kernel.ref)}"]
        given = {key: getattr(kernel, key) for key in _KERNEL_KEYS[1:]}
        lines += [f"{key} = {_value(value)}" for key, value in given.items() if value not in ("", None)]
    for workload in experiment.workloads:
        lines += ["", "[[workloads]]", f"name = {_text(workload.name)}"]
        lines += (
            [f"{key} = {_value(value)}" for key, value in programs.written(workload.program)]
            if workload.program
            else []
        )
        lines += ["[workloads.set]"] if workload.axes else []
        lines += [f"{_text(axis.name)} = {_value(axis.values)}" for axis in workload.axes]
    return "\n".join(lines) + "\n"


def _defaults(clock: Any) -> dict[str, Any]:
    """Defaults that depend on the clock, for a file that names one; the same as on the command line."""
    defaults = measuring().get(clock) if isinstance(clock, str) else None
    names = ("repeats", "perturb", "margin", "flavour")
    return {name: getattr(defaults, name) for name in names} if defaults is not None else {}


def _of_applications(workloads: list[dict[str, Any]], table: dict[str, Any]) -> dict[str, Any]:
    """Defaults that depend on the applications that a file names; the same as on the command line."""
    known = [application(str(use["name"])) for use in workloads if "program" not in use and is_application(use["name"])]
    if not known:
        return {}
    usual: dict[str, Any] = {"timeout_s": TIMEOUT_S, "memory_bytes": [parse_bytes(memory_for(known))]}
    usual |= {"rounds": ROUNDS} if len(known) == len(workloads) else {}
    return {key: value for key, value in usual.items() if key not in table}


def _kernel(entry: Any, index: int, errors: list[str]) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"ref": full_ref(entry)}
    table = _table(entry, f"kernels[{index}]", _KERNEL_KEYS, "a reference or a table with ref", errors)
    return table | ({"ref": full_ref(table["ref"])} if isinstance(table["ref"], str) else {})


def _workload(entry: Any, index: int, errors: list[str]) -> dict[str, Any]:
    location = f"workloads[{index}]"
    if isinstance(entry, str):
        return {"name": entry}
    if isinstance(entry, dict) and "program" in entry:
        entry = {"name": name_of(str(entry["program"])), **entry}
    keys = (*_WORKLOAD_KEYS, *programs.KEYS)
    table = _table(entry, location, keys, "a name, or a table with name or program", errors)
    program = programs.read(table, location, errors)
    table = {key: value for key, value in table.items() if key in _WORKLOAD_KEYS}
    if "path" in program:
        table["program"] = program
    elif program:
        errors.append(f"{location}: {', '.join(program)}: belong to a program, and there is none")
    axes = table.pop("set", {})
    if not isinstance(axes, dict):
        errors.append(f"{location}.set: must be a table of parameters")
        axes = {}
    table["axes"] = [
        msgspec.to_builtins(
            Axis(name=name, values=tuple(str(v) for v in (value if isinstance(value, list) else [value])))
        )
        for name, value in axes.items()
    ]
    return table


def _workloads(table: dict[str, Any], errors: list[str]) -> list[dict[str, Any]]:
    """The workloads of the file, or of the suite that it names instead."""
    if "suite" not in table:
        return [_workload(entry, i, errors) for i, entry in enumerate(_list(table, "workloads", errors))]
    if "workloads" in table:
        errors.append("suite: beside workloads; write one of the two")
    return [msgspec.to_builtins(use) for use in suite_workloads(str(table["suite"]))]


def suite_workloads(name: str) -> tuple[WorkloadUse, ...]:
    """The workloads of a suite. Raises BadInput with every problem of its file."""
    path, table = table_of(name)
    errors: list[str] = []
    _unknown(table, _SUITE_KEYS, "", errors)
    entries = [_workload(entry, i, errors) for i, entry in enumerate(_list(table, "workloads", errors))]
    if not isinstance(table.get("summary"), str):
        errors.append("summary: missing, or not a text")
    _fail(errors, str(path))
    try:
        return from_plain(entries, tuple[WorkloadUse, ...])
    except msgspec.ValidationError as error:
        raise BadInput(f"{path}: {wrong_value(error)}", "docs/reference/experiment.md has every key") from error


def _table(entry: Any, location: str, keys: tuple[str, ...], wanted: str, errors: list[str]) -> dict[str, Any]:
    if not isinstance(entry, dict) or keys[0] not in entry:
        errors.append(f"{location}: must be {wanted}")
        return {keys[0]: ""}
    _unknown(entry, keys, f"{location}.", errors)
    return {key: entry[key] for key in keys if key in entry}


def _list(table: dict[str, Any], key: str, errors: list[str]) -> list[Any]:
    value = table.get(key)
    if not isinstance(value, list) or not value:
        errors.append(f"{key}: missing, or not a list with at least one entry")
        return []
    return value


def _sizes(values: Any, errors: list[str]) -> list[int]:
    sizes = []
    for index, value in enumerate(values if isinstance(values, list) else [values]):
        try:
            sizes.append(value if isinstance(value, int) else parse_bytes(str(value)))
        except ValueError as error:
            errors.append(f"memory_bytes[{index}]: {error}")
    return sizes


def _unknown(table: dict[str, Any], keys: tuple[str, ...], prefix: str, errors: list[str]) -> None:
    errors += [f"{prefix}{key}: unknown key; {nearest_of(key, keys)}" for key in table if key not in keys]


def _fail(errors: list[str], origin: str) -> None:
    if errors:
        raise BadInput("\n".join(f"{origin}: {problem}" for problem in errors))


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value, builtin_types=())
    if isinstance(value, dict):
        fields = ((key, item) for key, item in value.items() if item is not None)
        return "{" + ", ".join(f"{key} = {_value(item)}" for key, item in fields) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _text(text: str) -> str:
    # A JSON string is also a TOML basic string, except for DEL, which TOML wants escaped.
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
