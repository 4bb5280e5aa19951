# SPDX-License-Identifier: GPL-2.0-only
"""Output of `kassay import`: the metrics that were read, the number of values, and the unknowns."""

from pathlib import Path
from shlex import quote

from kassay.errors import BadInput
from kassay.model.reason_texts import reason_text
from kassay.model.samples import UNITS_OF_REPLICATION, ImportedKernel, Samples, SampleSeries
from kassay.model.texts import counted, one_line
from kassay.report.words import cut

_SHOWN = 8
_LONGEST = 400  # of a line, as names come from files of others
_NAME = 80


def refusal(error: BadInput) -> BadInput:
    """The same error; names from files of others are made safe to print."""
    what, remedy = (
        "\n".join(cut(one_line(line), _LONGEST) for line in text.split("\n")) for text in (error.what, error.remedy)
    )
    return BadInput(what, remedy)


def summary(samples: Samples, directory: Path) -> str:
    """Lines for people, with the next command at the end."""
    lines = [f"read {counted(len(samples.sources), 'file')} as {samples.sources[0].format}"]
    lines += [f"kernel: {_kernel(kernel, first=kernel == samples.kernels[0])}" for kernel in samples.kernels]
    primary = [series for series in samples.series if series.primary]
    lines += [f"metric: {_metric(series)}" for series in primary[:_SHOWN]]
    if len(primary) > _SHOWN:
        lines.append(f"metric: {len(primary) - _SHOWN} more series like these")
    others = list(dict.fromkeys(series.metric for series in samples.series if not series.primary))
    if others:
        more = f", and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        lines.append(
            f"also read: {', '.join(cut(name, _NAME // 2) for name in others[:_SHOWN])}{more} (--metric chooses)"
        )
    lines.append(f"replication: {reason_text(UNITS_OF_REPLICATION[samples.replication])}")
    lines.append(f"unknown: {', '.join(_unknown(samples))}")
    lines += [f"note: {note}" for note in samples.notes]
    shortened = [cut(one_line(line), _LONGEST) for line in lines]
    return "\n".join([*shortened, f"next: kassay report {quote(str(directory))}", ""])


def _kernel(kernel: ImportedKernel, *, first: bool) -> str:
    fields = (
        ("release", kernel.release),
        ("arch", kernel.arch),
        ("compiler", kernel.compiler),
        ("commit", kernel.commit),
    )
    facts = ", ".join(f"{name} {value}" for name, value in fields if value is not None and value != kernel.label)
    return f"{cut(kernel.label, _NAME)}{' (base)' if first else ''}{f': {facts}' if facts else ''}"


def _metric(series: SampleSeries) -> str:
    settings = "".join(f" {setting.name}={setting.value}" for setting in series.settings)
    unit = f" [{series.unit}]" if series.unit else ""
    direction = "better not known" if series.better == "unknown" else f"{series.better} is better"
    name = f"{cut(series.kernel, _NAME)}: {cut(f'{series.workload}{settings}', _NAME)} {cut(series.metric, _NAME)}"
    return f"{name}{cut(unit, _NAME)}, {direction}, {_values(series)}"


def _values(series: SampleSeries) -> str:
    if series.spread is not None:
        return f"mean {series.spread.mean_text}, n {'unknown' if series.spread.n is None else series.spread.n}"
    failed = sum(sample.value is None for sample in series.samples)
    inner = sum(len(sample.inner) for sample in series.samples)
    behind = f" (medians of {inner} values)" if inner else ""
    return f"n {len(series.samples) - failed}{behind}" + (f", {failed} failed" if failed else "")


def _unknown(samples: Samples) -> list[str]:
    """Facts that kassay's own runs have and this import lacks."""
    lacking = ["memory state (nothing was audited)", "kernel image"]
    if any(kernel.compiler is None for kernel in samples.kernels):
        lacking.append("compiler")
    if samples.machine == "unknown":
        lacking.append("machine")
    if not any(sample.block is not None for series in samples.series for sample in series.samples):
        lacking.append("order of boots")
    if any(series.spread is not None and series.spread.n is None for series in samples.series):
        lacking.append("single values")
    return lacking
