# SPDX-License-Identifier: GPL-2.0-only
"""The report for programs: kassay-report/1 (docs/reference/json.md). Names are a contract; fields are only added."""

import json
from typing import Any

import msgspec

from kassay.errors import Defect
from kassay.model.experiment import labels
from kassay.model.finding import LadderStep
from kassay.model.kernel_share import KernelShare
from kassay.model.machine import MachineUse
from kassay.model.printed_values import PrintedRow
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.report import AuditTable, Report
from kassay.report.conditions import Values, confounding, differing_options
from kassay.report.formats import Format

Object = dict[str, Any]


def render(report: Report) -> str:
    """One JSON object, two spaces deep, keys in a fixed order, numbers unrounded.

    Raises Defect when a figure is not finite: JSON has no word for it.
    """
    try:
        return json.dumps(_report(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError as error:
        raise Defect(f"report {report.plan_id}: a figure is not finite", "the analysis must leave it out") from error


def _report(report: Report) -> Object:
    def plain(*names: str) -> Object:
        return {name: _plain(getattr(report, name), report) for name in names}

    ladders = plain("ladders")["ladders"]
    kernels = zip(report.kernels, labels(report.experiment), report.experiment.kernels, strict=True)
    return {
        **plain("schema", "title", "verdict"),
        "confounders": _confounders(report),
        "experiment": _experiment(report),
        "configurations": [
            {"topic": topic, "name": name, "kernels": _by_kernel(values)}
            for topic, name, values in differing_options(report)
        ],
        "kernels": [
            {**_plain(kernel, report), "label": label, "cmdline": use.cmdline} for kernel, label, use in kernels
        ],
        **plain("machine", "findings"),
        "ladder": next((ladder for ladder in ladders if ladder["primary"]), None),
        "ladders": ladders,
        **plain("runs", "audits", "state", "gate_fields", "scope", "disclosures", "next_steps", "commands"),
        "state_code": _coded(report.state),
        "disclosure_codes": _coded(report.disclosures),
        **plain("work"),
        "work_code": _coded(report.work),
        **plain("spec_toml", "wall", "plan_id", "kassay_version"),
        "cpus": [{"kernels": list(seen.kernels), **_plain(seen.cpu, report)} for seen in report.cpus],
        **plain("guest_compiler"),
        "guest_sha256": _mapping(report.guest_sha256),
        **plain("seed_rules", "printed"),
        "kernel_share": plain("shares")["shares"],
        **plain("counters", "hosts", "across_hosts", "beside", "overview", "gaps", "series", "beside_machine",
                "families", "workloads", "sources", "lkp_header", "bisection"),
    }  # fmt: skip


def _confounders(report: Report) -> list[Object]:
    """Other differences between the kernels that the verdict is about."""
    return [
        {"code": code, "name": name, "kernels": _by_kernel(values)}
        for (code, name), values in confounding(report).items()
    ]


def _by_kernel(values: Values) -> list[Object]:
    return [{"kernel": kernel, "value": value} for kernel, value in values.items()]


def _experiment(report: Report) -> Object:
    """`workload` is the name of the first workload; all workloads, with their axes, are in `workloads`."""
    fields = _plain(report.experiment, report)
    first = next((workload.name for workload in report.experiment.workloads), None)
    return {"name": fields.pop("name"), "question": fields.pop("question"), "workload": first, **fields}


def _machine(machine: MachineUse, report: Report) -> Object:
    return {
        "arch": machine.arch,
        "cpus": machine.cpus,
        "memory_bytes": machine.memory_bytes,
        "clock": machine.clock,
        "accelerator": report.machine.accelerator,
        **{setting.name: setting.value for setting in machine.chosen},
    }


def _mapping(pairs: tuple[Setting | tuple[str, Any], ...] | None) -> Object | None:
    return None if pairs is None else dict(msgspec.structs.astuple(p) if isinstance(p, Setting) else p for p in pairs)


_CODES = {
    "reasons": "reason_codes", "doubts": "doubt_codes", "disclosures": "disclosure_codes",
    "profile_note": "profile_note_code", "meaning": "meaning_code", "method": "method_code", "state": "state_code",
    "refused": "refused_code",
}  # fmt: skip
"""Fields of reasons, which are written as sentences -> the fields that have the same with code and arguments."""


_MAPPINGS = frozenset({"settings", "configuration", "vulnerabilities", "fields"})
"""Fields of names with values, which become objects."""
_NO_TEXT = {"profile_note": ""}


def _plain(value: Any, report: Report) -> Any:
    """Records as dicts and tuples as lists, field order kept. A reason is a sentence; another field has its code."""
    if isinstance(value, Reason):
        return reason_text(value)
    if isinstance(value, tuple):
        return [_plain(item, report) for item in value]
    if not isinstance(value, msgspec.Struct):
        return value
    if value.__struct_config__.omit_defaults:  # parts of an experiment, which hold no reasons
        return msgspec.to_builtins(value)
    fields: Object = {}
    for name, encoded in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
        field = getattr(value, name)
        if field is msgspec.UNSET:
            continue
        if name == "open_codes":  # open has the sentences: the names of candidates are not known here
            fields[encoded] = _coded(field)
            continue
        if name in _MAPPINGS or (isinstance(value, PrintedRow) and name == "values"):
            fields[encoded] = _mapping(field)
        elif isinstance(field, MachineUse) and not isinstance(value, AuditTable):
            fields[encoded] = _machine(field, report)
        else:
            fields[encoded] = _NO_TEXT.get(name) if field is None else _plain(field, report)
        if name in _CODES and not isinstance(field, (str, int)):
            fields[_CODES[name]] = _coded(field)
    if isinstance(value, LadderStep):
        return {name.removesuffix("_kernel"): field for name, field in fields.items()}
    return {**fields, "share": value.share} if isinstance(value, KernelShare) else fields


def _coded(value: Any) -> Any:
    """Reasons as objects."""
    if isinstance(value, tuple):
        return [_coded(item) for item in value]
    if not isinstance(value, Reason):
        return value
    arguments = {name: _argument(argument) for name, argument in value.arguments}
    return {"code": value.code, "kernel": value.kernel, "arguments": arguments}


def _argument(value: Any) -> Any:
    """Pairs are an object of names and values."""
    return dict(value) if isinstance(value, tuple) else _coded(value)


FORMAT = Format(
    name="json", suffix=".json", summary="for programs: kassay-report/1, see docs/reference/json.md", render=render,
    page="programs", complete=True,
)  # fmt: skip
