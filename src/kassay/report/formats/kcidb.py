# SPDX-License-Identifier: GPL-2.0-only
"""KCIDB's JSON: kernels as checkouts and builds, each kernel's cost as a test, checked by kcidb-io's own schema."""

import hashlib
import json
import re
from typing import Any

from kassay.errors import Defect, HostLacks
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineUse
from kassay.model.report import Report
from kassay.model.texts import one_line
from kassay.report.formats import Format
from kassay.report.series import KernelRow, MetricSeries, groups
from kassay.supply.clocks import clock_of

Object = dict[str, Any]
_ORIGIN = "kassay"
_COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
_STATUSES = {"regression": "FAIL", "improvement": "PASS", "equivalent": "PASS", "inconclusive": "DONE", "": "DONE"}


def render(report: Report) -> str:
    """One document. The first kernel of a comparison is DONE, each further one PASS or FAIL against the one before;
    a refused comparison is ERROR, a missing value MISS.

    Raises HostLacks without kcidb-io, Defect when its schema does not accept the document.
    """
    schema = _schema()
    document: Object = {"version": {"major": schema.major, "minor": schema.minor}}
    identities = dict(zip(labels(report.experiment), report.kernels, strict=False))
    builds = {label: _id(report, "build", label) for label in identities}
    document["checkouts"] = [_checkout(report, label, kernel) for label, kernel in identities.items()]
    document["builds"] = [_build(report, label, kernel) for label, kernel in identities.items()]
    document["tests"] = _tests(report, builds)
    try:
        schema.validate(document)
    except Exception as error:  # jsonschema's, which is kcidb-io's dependency and not ours
        raise Defect(f"--format kcidb: kcidb-io does not accept it: {str(error).splitlines()[0]}") from error
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _schema() -> Any:
    try:
        import kcidb_io
    except ImportError as error:
        raise HostLacks("--format kcidb: kcidb-io is not installed", "pip install 'kassay[kcidb]'") from error
    return kcidb_io.schema.V5_3


def _id(report: Report, *parts: object) -> str:
    """The same report gives the same ids."""
    text = json.dumps([report.plan_id, *map(str, parts)])
    return f"{_ORIGIN}:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _checkout(report: Report, label: str, kernel: KernelIdentity) -> Object:
    is_patched = kernel.build is not None and bool(kernel.build.patches)
    commit = None if is_patched else _COMMIT.search(f"{kernel.release} {kernel.source}")
    checkout: Object = {"id": _id(report, "checkout", label), "origin": _ORIGIN}
    checkout |= {"git_commit_hash": commit[0]} if commit else {}
    return checkout | {"git_commit_name": one_line(kernel.release), "comment": one_line(kernel.source or kernel.ref)}


def _build(report: Report, label: str, kernel: KernelIdentity) -> Object:
    identity = {name: getattr(kernel, name) for name in ("package", "package_version", "image_sha256", "config_sha256")}
    build: Object = {
        "checkout_id": _id(report, "checkout", label),
        "id": _id(report, "build", label),
        "origin": _ORIGIN,
        "comment": one_line(label),
        "architecture": re.sub(r"[^a-z0-9_]", "_", kernel.arch),
        "misc": {name: value for name, value in identity.items() if value is not None},
    }
    return build | ({"compiler": one_line(kernel.compiler)} if kernel.compiler else {})


def _tests(report: Report, builds: dict[str, str]) -> list[Object]:
    """One test for each kernel and metric; of several comparisons of this kernel, the first that judges it."""
    metrics = [series for group in groups(report) for series in group.series]
    rows = [(series, row) for series in metrics for row in series.rows if row.kernel in builds]
    tests: dict[str, Object] = {}
    judged: set[str] = set()
    for series, row in rows:
        test = _test(report, series, row, builds[row.kernel], first=row is series.rows[0])
        if test["id"] not in judged:
            tests[test["id"]] = test
        judged |= {test["id"]} if row is not series.rows[0] else set()
    return list(tests.values())


def _test(report: Report, series: MetricSeries, row: KernelRow, build: str, *, first: bool) -> Object:
    where = tuple((s.name, s.value) for s in series.settings)
    open_ = first or (clock_of(series.machine.clock).screening and row.verdict not in REFUSED)
    status = "DONE" if open_ else "ERROR" if row.verdict in REFUSED else _STATUSES.get(row.verdict, "DONE")
    test: Object = {
        "build_id": build,
        "id": _id(report, "test", series.workload, series.metric, where, _machine_text(series.machine), row.kernel),
        "origin": _ORIGIN,
        "path": ".".join(["kassay", *(_word(text) for text in (series.workload or "-", series.metric))]),
        "comment": one_line(f"{series.metric} of {series.workload or '-'}: {series.definition or series.unit}"),
        "status": "MISS" if row.value is None and status == "DONE" else status,
        "environment": {"comment": one_line(report.machine.program), "misc": {"clock": series.machine.clock}},
        "misc": _misc(series, row),
    }
    if row.value is not None:
        test["number"] = {"value": row.value, "unit": one_line(series.unit)}
    return test


def _machine_text(m: MachineUse) -> str:
    """Part of an identifier, so its form must not change: settings of later versions are appended."""
    fixed = f"MachineUse(arch={m.arch!r}, clock={m.clock!r}, cpus={m.cpus!r}, memory_bytes={m.memory_bytes!r})"
    return " ".join((fixed, *(f"{setting.name}={setting.value}" for setting in m.chosen)))


def _misc(series: MetricSeries, row: KernelRow) -> Object:
    m = series.machine
    machine = {"arch": m.arch, "cpus": m.cpus, "memory_bytes": m.memory_bytes}
    misc: Object = {"settings": {s.name: s.value for s in series.settings}, "n": row.n, "runs": list(row.side.runs)}
    misc |= {"machine": {name: value for name, value in machine.items() if value is not None}}
    misc["machine"] |= {setting.name: setting.value for setting in m.chosen}
    judged: Object = {"change": row.change, "interval": row.interval and list(row.interval), "verdict": row.verdict,
                      "evidence": row.evidence}  # fmt: skip
    return misc | {name: value for name, value in judged.items() if value not in (None, "")}


def _word(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text) or "_"


FORMAT = Format(
    name="kcidb", suffix=".kcidb.json", summary="KCIDB's JSON (needs kcidb-io)", render=render, whole=False
)  # fmt: skip
