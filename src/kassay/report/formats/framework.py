# SPDX-License-Identifier: GPL-2.0-only
"""Times as the evidence directory of the linux-mm regression evidence framework; docs/reference/formats.md has its
files.

`kassay import` reads the raw CSV back. Comparisons that kassay refused are not in it: it has no state of memory, so
another tool would judge their boots.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from shlex import quote

from kassay.errors import BadInput
from kassay.model.experiment import labels
from kassay.model.finding import REFUSED, Finding, Side
from kassay.model.machine import Point
from kassay.model.records import grouped
from kassay.model.report import Report, Times
from kassay.model.texts import granted_texts, one_line
from kassay.model.timing import LOOKS, TimedBoot
from kassay.report.csv_text import Cell, csv_text
from kassay.report.formats import Format

RAW, SUMMARY, ORDER, COVERAGE, README = "raw.csv", "summary.csv", "execution-order.csv", "coverage.csv", "README.md"
_RAW_COLUMNS = (
    "profile", "source_file", "entry_profile", "test_kind", "version_family", "exact_version", "case", "scenario",
    "metric", "value", "status", "run_id", "failure_reason", "kernel_order", "order", "looks", "margin",
)  # fmt: skip
_SUMMARY_COLUMNS = (
    "scenario", "case", "metric", "base", "head", "base_runs", "base_failed", "base_mean", "base_median", "base_cv",
    "base_mad_ratio", "base_status", "head_runs", "head_failed", "head_mean", "head_median", "head_cv",
    "head_mad_ratio", "head_status", "delta", "delta_median", "classification", "reliability", "kassay_change",
    "kassay_verdict", "kassay_evidence", "in_raw",
)  # fmt: skip
_ORDER_COLUMNS = ("sequence", "started_utc", "run_id", "repetition", "version_family", "scenario", "case", "role",
                  "outcome", "detail")  # fmt: skip
_COVERAGE_COLUMNS = ("version_family", "scenario", "case", "coverage_enabled", "function", "calls_per_operation",
                     "instructions_per_operation")  # fmt: skip
_Row = tuple[Cell, ...]


def render(report: Report) -> str:
    """The raw CSV. Raises BadInput if no boots were timed, if several hosts made them, or if all is refused."""
    times = _times(report)
    refused = _refused(times)
    taken = [f for f in times.findings if f.point not in refused and _timed(f)]
    if not taken:
        raise BadInput(
            "--format framework: kassay refused every comparison of these times, or they are no times of an operation",
            "its files have no state of memory, so others would judge the boots; use --format json or csv",
        )
    order = {label: number for number, label in enumerate(labels(report.experiment), 1)}
    rows = [row for point, findings in grouped((f.point, f) for f in taken).items()
            for row in _raw(report, times, point, findings, order)]  # fmt: skip
    return csv_text(_RAW_COLUMNS, rows)


def files(report: Report) -> Mapping[str, str]:
    """Every file of an evidence directory by its name. Raises BadInput as render() does."""
    raw, times = render(report), _times(report)
    return {
        RAW: raw,
        SUMMARY: csv_text(_SUMMARY_COLUMNS, _summary(times)),
        ORDER: csv_text(_ORDER_COLUMNS, _order(report, times)),
        COVERAGE: csv_text(_COVERAGE_COLUMNS, _coverage(report, times)),
        README: _readme(report),
    }


def _times(report: Report) -> Times:
    times = report.times
    if times is None:
        raise BadInput("--format framework: no boots were timed in this directory, and the framework has nothing but "
                       "times",
                       "use --format csv or json" + ("" if report.sources else ", or measure with --clock kvm"),
                       )  # fmt: skip
    if any(side.hosts for f in times.findings for side in f.sides):
        raise BadInput("--format framework: several hosts made these boots, and its files have no host",
                       "use --format csv or json")  # fmt: skip
    return times


def _timed(f: Finding) -> bool:
    return f.unit.startswith("ns/") and f.better == "lower"


def _refused(times: Times) -> set[Point]:
    """Points whose boots kassay does not judge, so that nobody else shall."""
    return {f.point for f in times.findings if f.primary and _not_judged(f)}


def _not_judged(f: Finding) -> bool:
    """True if it was refused, if a kernel differs from itself, or if the boots are between two looks."""
    between = f.timing is not None and f.timing.p is None and f.timing.boots >= LOOKS[0]
    return (f.verdict in REFUSED and f.verdict != "incomplete") or f.evidence == "unstable" or between


def _raw(report: Report, times: Times, point: Point, findings: Iterable[Finding], order: Mapping[str, int]) -> (
    Iterator[_Row]
):  # fmt: skip
    """Rows of one scenario: for each kernel every boot with all its metrics, then the boots that failed."""
    sides: dict[str, dict[str, tuple[Finding, Side]]] = {}
    for f in findings:
        for side in f.sides:
            sides.setdefault(side.kernel, {}).setdefault(f.metric, (f, side))
    versions = _versions(report)
    for kernel in sorted(sides, key=lambda label: order.get(label, 0)):
        measured = list(sides[kernel].values())
        looks = next((len(f.timing.looks) for f, _ in measured if f.timing is not None), 1)
        shared = (order.get(kernel, 0), times.experiment.order, looks, times.experiment.margin)
        boots = [boot for boot in times.boots if (boot.point, boot.kernel) == (point, kernel) and not boot.control]
        good = [boot for boot in boots if boot.outcome == "ok"]
        for f, side in measured:
            for boot, value in _paired(good, side):
                measured_value = (*_subject(report, boot, versions), metric_name(f), value)
                yield (*measured_value, "ok", run_id(report, boot), "", *shared)
        for boot in {boot.run: boot for boot in boots if boot.lost}.values():
            reason = one_line(f"{boot.outcome}: {boot.detail}".removesuffix(": "))
            yield (*_subject(report, boot, versions), "", "", "failed", run_id(report, boot), reason, *shared)


def _paired(boots: list[TimedBoot], side: Side) -> Iterator[tuple[TimedBoot, float]]:
    """Each value with its boot, block by block: a block's boots of one kernel have the order of its values."""
    of_block = grouped((boot.block, boot) for boot in boots)
    for block, value in zip(side.blocks, side.runs, strict=True):
        yield of_block[block].pop(0), value


def metric_name(f: Finding) -> str:
    """The framework's name of a metric: its cycle is one whole iteration of the workload."""
    phase = "cycle" if f.metric == "iteration" else f.metric
    return f"{phase}_{f.unit.replace('/', '_per_')}"


def run_id(report: Report, boot: TimedBoot) -> str:
    """Name of a run, which ends with its repetition and start, as the framework's do."""
    stamp = re.sub(r"[-:]", "", boot.started_utc)
    words = (report.experiment.name, boot.kernel, boot.workload, _case(boot))
    return f"{'_'.join(_slug(word) for word in words)}_r{boot.block + 1:02}-bench-{stamp}"


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("_")


def _case(at: TimedBoot | Finding) -> str:
    words = (*(f"{s.name}={s.value}" for s in at.settings), f"clock={at.machine.clock}", *granted_texts(at.machine))
    return one_line(" ".join(words))


def _versions(report: Report) -> dict[str, str]:
    named = zip(labels(report.experiment), report.kernels, strict=True)
    return {label: one_line(kernel.release) for label, kernel in named}


def _subject(report: Report, boot: TimedBoot, versions: Mapping[str, str]) -> _Row:
    profile = one_line(report.experiment.name)
    return (profile, "", "", "workload", one_line(boot.kernel), versions[boot.kernel], _case(boot),
            one_line(boot.workload))  # fmt: skip


def _summary(times: Times) -> Iterator[_Row]:
    """A row for each comparison: both sides and the verdict by the seeds' rules, then kassay's own."""
    refused = _refused(times)
    for f, seed in zip(times.findings, times.seed_rules, strict=True):
        sides = (cell for s in seed.sides for cell in (s.runs, s.failed, s.mean, s.median, s.cv, s.mad_ratio, s.status))
        kept = "yes" if f.point not in refused and _timed(f) else "no"
        yield (f.workload, _case(f), metric_name(f), f.base, f.head, *sides, seed.delta, seed.delta_median,
               seed.classification, seed.word, f.change, f.verdict, f.evidence, kept)  # fmt: skip


def _order(report: Report, times: Times) -> Iterator[_Row]:
    for number, boot in enumerate(times.boots, 1):
        role = "control" if boot.control else "measured"
        yield (number, boot.started_utc, run_id(report, boot), boot.block + 1, boot.kernel, boot.workload, _case(boot),
               role, boot.outcome, boot.detail)  # fmt: skip


def _coverage(report: Report, times: Times) -> Iterator[_Row]:
    """Every function that a counted run executed; one row without a function for each kernel if nothing was counted."""
    seen: set[tuple[str, Point]] = set()
    for f in report.findings:
        for side, number in ((0, "base"), (1, "head")):
            kernel = f.sides[side].kernel
            if f.attribution is None or not f.primary or (kernel, f.point) in seen:
                continue
            seen.add((kernel, f.point))
            for row in f.attribution.rows:
                if row.context != "user" and (cost := getattr(row, number)):
                    yield (kernel, f.workload, _case(f), "true", row.function, getattr(row, f"{number}_calls"), cost)
    if not seen:
        cells = dict.fromkeys((boot.kernel, boot.workload, _case(boot)) for boot in times.boots)
        yield from ((*cell, "false", "", None, None) for cell in cells)


def _readme(report: Report) -> str:
    commands = "".join(f"    {one_line(command)}\n" for command in report.commands)
    return f"""# {one_line(report.title)}

{one_line(report.verdict)}

kassay {one_line(report.kassay_version)} wrote these files. `kassay import .` reads them back.

- `{RAW}`: a row for each boot and metric. `cycle` is one whole iteration of the workload, and lower is better.
- `{SUMMARY}`: a row for each comparison. It has the framework's figures and kassay's verdict. Boots of a comparison
  with `in_raw` "no" are not in `{RAW}`, because kassay does not judge them.
- `{ORDER}`: every attempt in the order in which it was made.
- `{COVERAGE}`: executed functions, of runs that counted instructions. The timed boots had coverage disabled.

{one_line(report.scope)}

Commands that repeat the measurement ({quote(one_line(report.experiment.name))}):

{commands}"""


FORMAT = Format(
    name="framework", suffix=".raw.csv", summary="times for the linux-mm regression evidence framework",
    render=render, whole=False, timed_only=True, files=files,
)  # fmt: skip
