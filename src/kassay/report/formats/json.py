# SPDX-License-Identifier: GPL-2.0-only
"""The report for programs: kassay-report/1, described in docs/json.md. Names are a contract; fields are only added."""

import json
from typing import Any

import msgspec

from kassay.errors import Defect
from kassay.model.experiment import labels
from kassay.model.finding import Finding, Ladder
from kassay.model.gap import Gap
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineUse
from kassay.model.records import Setting
from kassay.model.report import Report
from kassay.model.series import SeriesTable
from kassay.report.confounders import Values, confounding, differing_options
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
        "findings": [_finding(finding, report) for finding in report.findings],
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
        **{name: _plain(getattr(report, name)) for name in ("spec_toml", "wall", "plan_id", "kassay_version")},
        "seed_rules": [
            {**_plain(one), "settings": _settings(one.settings), "machine": _machine(one.machine, report)}
            for one in report.seed_rules
        ],
        "beside": [{**_plain(one), "settings": _settings(one.settings)} for one in report.beside],
        "gaps": [_placed(gap, report) for gap in report.gaps],
        "series": report.series
        and {**_plain(report.series), "tables": [_placed(table, report) for table in report.series.tables]},
        **{
            name: _plain(getattr(report, name))
            for name in ("beside_machine", "families", "workloads", "sources", "lkp_header", "bisection")
        },
    }


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
    """`workload` is the first one's name; all of them, with their axes, are in `workloads`."""
    fields = _plain(report.experiment)
    first = next((workload.name for workload in report.experiment.workloads), None)
    return {"name": fields.pop("name"), "question": fields.pop("question"), "workload": first, **fields}


def _finding(f: Finding, report: Report) -> Object:
    """Every field of the record under its own name; settings and machine become objects."""
    return {**_plain(f), "settings": _settings(f.settings), "machine": _machine(f.machine, report)}


def _placed(one: Gap | SeriesTable, report: Report) -> Object:
    """Settings and machine as objects."""
    return {**_plain(one), "settings": _settings(one.settings), "machine": _machine(one.machine, report)}


def _ladder(ladder: Ladder, report: Report) -> Object:
    steps = [{"from": s.from_kernel, "to": s.to_kernel, "change": s.change, "verdict": s.verdict} for s in ladder.steps]
    place = {"settings": _settings(ladder.settings), "machine": _machine(ladder.machine, report)}
    return {**_plain(ladder), **place, "steps": steps}


def _machine(machine: MachineUse, report: Report) -> Object:
    return {
        "arch": machine.arch,
        "cpus": machine.cpus,
        "memory_bytes": machine.memory_bytes,
        "clock": machine.clock,
        "accelerator": report.machine.accelerator,
    }


def _settings(settings: tuple[Setting, ...]) -> Object:
    return {setting.name: setting.value for setting in settings}


def _plain(value: Any) -> Any:
    """Records as dicts and tuples as lists, field order kept."""
    return msgspec.to_builtins(value)


FORMAT = Format(
    name="json", suffix=".json", summary="for programs: kassay-report/1, see docs/json.md", render=render,
    page="programs",
)  # fmt: skip
