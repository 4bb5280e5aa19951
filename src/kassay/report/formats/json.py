# SPDX-License-Identifier: GPL-2.0-only
"""The report for programs: kassay-report/1 (docs/reference/json.md). Names are a contract; fields are only added."""

import json
from typing import Any

import msgspec

from kassay.errors import Defect
from kassay.model.across import AcrossHosts
from kassay.model.experiment import labels
from kassay.model.finding import Finding, Gap, Ladder
from kassay.model.kernel import KernelIdentity
from kassay.model.kernel_share import KernelShare
from kassay.model.machine import MachineUse
from kassay.model.overview import Overview
from kassay.model.printed import PrintedRow
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.records import Setting
from kassay.model.report import PointCounters, Report
from kassay.model.series import SeriesTable
from kassay.model.timing import SeedFinding
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
    ladders = [_ladder(ladder, report) for ladder in report.ladders]
    primary = (encoded for ladder, encoded in zip(report.ladders, ladders, strict=True) if ladder.primary)
    return {
        "schema": report.schema,
        "title": report.title,
        "verdict": report.verdict,
        "confounders": _confounders(report),
        "experiment": _experiment(report),
        "configurations": [
            {"topic": topic, "name": name, "kernels": _by_kernel(values)}
            for topic, name, values in differing_options(report)
        ],
        "kernels": [
            {**_kernel(kernel), "label": label, "cmdline": use.cmdline}
            for kernel, label, use in zip(
                report.kernels, labels(report.experiment), report.experiment.kernels, strict=True
            )
        ],
        "machine": _plain(report.machine),
        "findings": [_at_point(finding, report) for finding in report.findings],
        "ladder": next(primary, None),
        "ladders": ladders,
        "runs": _plain(report.runs),
        "audits": [
            {**_plain(audit), "settings": _settings(audit.settings), "fields": dict(audit.fields)}
            for audit in report.audits
        ],
        **{
            name: _plain(getattr(report, name))
            for name in ("state", "gate_fields", "scope", "disclosures", "next_steps", "commands")
        },
        "state_code": _coded(report.state),
        "disclosure_codes": _coded(report.disclosures),
        "work": report.work and reason_text(report.work),
        "work_code": _coded(report.work),
        **{name: _plain(getattr(report, name)) for name in ("spec_toml", "wall", "plan_id", "kassay_version")},
        "cpus": [
            {"kernels": list(c.kernels), **_plain(c.cpu), "vulnerabilities": _settings(c.cpu.vulnerabilities)}
            for c in report.cpus
        ],
        "guest_compiler": report.guest_compiler,
        "guest_sha256": _settings(report.guest_sha256),
        "seed_rules": [_at_point(row, report) for row in report.seed_rules],
        "printed": [{**_at_point(row, report), "values": dict(row.values)} for row in report.printed],
        "kernel_share": [_share(share, report) for share in report.shares],
        "counters": [_at_point(point, report) for point in report.counters],
        "hosts": _plain(report.hosts),
        "across_hosts": [_at_point(comparison, report) for comparison in report.across_hosts],
        "beside": [{**_plain(row), "settings": _settings(row.settings)} for row in report.beside],
        "overview": report.overview and _overview(report.overview, report),
        "gaps": [_at_point(gap, report) for gap in report.gaps],
        "series": report.series
        and {**_plain(report.series), "tables": [_at_point(table, report) for table in report.series.tables]},
        **{
            name: _plain(getattr(report, name))
            for name in ("beside_machine", "families", "workloads", "sources", "lkp_header", "bisection")
        },
    }


def _overview(overview: Overview, report: Report) -> Object:
    """Workloads by kernels, and the functions that changed in them."""
    rows = [
        {**_plain(row), "settings": _settings(row.settings), "machine": _machine(row.machine, report)}
        for row in overview.rows
    ]
    causes = [
        {**_plain(cause), "rows": [{**_plain(row), "settings": _settings(row.settings)} for row in cause.rows]}
        for cause in overview.causes
    ]
    return {"kernels": list(overview.kernels), "rows": rows, "causes": causes}


def _confounders(report: Report) -> list[Object]:
    """What else differs between the kernels that the verdict is about."""
    return [
        {"code": code, "name": name, "kernels": _by_kernel(values)}
        for (code, name), values in confounding(report).items()
    ]


def _by_kernel(values: Values) -> list[Object]:
    return [{"kernel": kernel, "value": value} for kernel, value in values.items()]


def _kernel(kernel: KernelIdentity) -> Object:
    """Every field of the record; the configuration becomes an object."""
    configuration = None if kernel.configuration is None else _settings(kernel.configuration)
    return {**_plain(kernel), "configuration": configuration}


def _experiment(report: Report) -> Object:
    """`workload` is the name of the first workload; all workloads, with their axes, are in `workloads`."""
    fields = _plain(report.experiment)
    first = next((workload.name for workload in report.experiment.workloads), None)
    return {"name": fields.pop("name"), "question": fields.pop("question"), "workload": first, **fields}


def _at_point(
    record: Finding | Ladder | Gap | SeriesTable | SeedFinding | PrintedRow | PointCounters | KernelShare | AcrossHosts,
    report: Report,
) -> Object:
    """Every field of the record under its own name; settings and machine become objects."""
    return {**_plain(record), "settings": _settings(record.settings), "machine": _machine(record.machine, report)}


def _share(share: KernelShare, report: Report) -> Object:
    """Also as a fraction of the whole value."""
    return {**_at_point(share, report), "share": share.share}


def _ladder(ladder: Ladder, report: Report) -> Object:
    steps = [{"from": s.from_kernel, "to": s.to_kernel, "change": s.change, "verdict": s.verdict} for s in ladder.steps]
    return {**_at_point(ladder, report), "steps": steps}


def _machine(machine: MachineUse, report: Report) -> Object:
    return {
        "arch": machine.arch,
        "cpus": machine.cpus,
        "memory_bytes": machine.memory_bytes,
        "clock": machine.clock,
        "accelerator": report.machine.accelerator,
        **{setting.name: setting.value for setting in machine.chosen},
    }


def _settings(settings: tuple[Setting, ...]) -> Object:
    return {setting.name: setting.value for setting in settings}


_CODES = {
    "reasons": "reason_codes", "doubts": "doubt_codes", "disclosures": "disclosure_codes",
    "profile_note": "profile_note_code", "meaning": "meaning_code", "method": "method_code", "state": "state_code",
    "refused": "refused_code",
}  # fmt: skip
"""Fields of reasons, which are written as sentences -> the fields that have the same with code and arguments."""


_NO_TEXT = {"profile_note": ""}


def _plain(value: Any) -> Any:
    """Records as dicts and tuples as lists, field order kept. A reason is a sentence; another field has its code."""
    if isinstance(value, Reason):
        return reason_text(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
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
        fields[encoded] = _NO_TEXT.get(name) if field is None else _plain(field)
        if name in _CODES and not isinstance(field, (str, int)):
            fields[_CODES[name]] = _coded(field)
    return fields


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
    page="programs",
)  # fmt: skip
