# SPDX-License-Identifier: GPL-2.0-only
"""Files in, Samples out: finds the format, reads, and settles which kernel is the base and which metric counts."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import grouped
from kassay.model.samples import ImportedKernel, Samples, SampleSeries, Source
from kassay.registry import discover
from kassay.tools.imports.gather import chosen, gather
from kassay.tools.imports.importer import FORMATS, Given, Importer, Reading

_SHOWN = 6


def importers() -> Mapping[str, Importer]:
    """Every format by name."""
    return discover(FORMATS, "IMPORTER", Importer)


def read(words: Sequence[str], *, name: str, format_name: str | None = None, metric: str | None = None,
         order: Sequence[str] = (), tell: Tell = silent) -> tuple[Samples, Mapping[str, bytes]]:  # fmt: skip
    """Reads FILE or KERNEL=FILE words. Returns the samples, and every file's bytes by its name below source/.

    metric: the one that the answer is about, instead of the format's own choice. order: all kernels, base first.
    Raises BadInput with file, line or location in the file, reason and remedy.
    """
    formats = importers()
    tell(Progress(stage="import", subject=", ".join(words)[:80], text="reading"))
    givens = gather(words, tuple(formats.values()), tell)
    importer = chosen(givens, formats, format_name)
    tell(Progress(stage="import", subject=importer.title, text=f"{len(givens)} file(s) read, now parsed"))
    reading = importer.read(givens)
    _comparable(reading)
    kernels = _ordered(reading, order)
    if kernels[0].label != reading.kernels[0].label:
        reading = _turned(reading)
    samples = Samples(
        name=name,
        sources=tuple(Source(name=g.name, sha256=sha256_bytes(g.raw), format=reading.format) for g in givens),
        kernels=_named(kernels, givens),
        series=_with_primary(reading.series, metric), replication=reading.replication, machine=reading.machine,
        notes=(*reading.notes, *_alike(reading.kernels)), shares=reading.shares, lkp_header=reading.lkp_header,
        command=_command(words, format_name, metric, order),
        looks=UNSET if reading.looks is None else int(reading.looks),
        margin=UNSET if reading.margin is None else reading.margin,
    )  # fmt: skip
    return samples, {given.name: given.raw for given in givens}


def _command(words: Sequence[str], format_name: str | None, metric: str | None, order: Sequence[str]) -> (
    tuple[str, ...]
):  # fmt: skip
    """Command that reads the same files the same way again."""
    options = (("--as", format_name), ("--metric", metric), ("--kernel-order", ",".join(order) or None))
    return ("kassay", "import", *words, *(word for name, text in options if text is not None for word in (name, text)))


def _alike(kernels: Sequence[ImportedKernel]) -> tuple[str, ...]:
    """Notes on kernels of the same release and commit: a mistake, or two builds that the files do not tell apart."""
    releases = grouped(
        ((kernel.release, kernel.commit), kernel.label) for kernel in kernels if kernel.release is not None
    )
    return tuple(f"{' and '.join(labels)} are all release {release}; the files do not tell them apart"
                 for (release, _), labels in releases.items() if len(labels) > 1)  # fmt: skip


def _named(kernels: Sequence[ImportedKernel], givens: Sequence[Given]) -> tuple[ImportedKernel, ...]:
    """Each kernel with who named it: the user where he did, else the source that the format names, else the file."""
    alone = givens[0].name if len(givens) == 1 else f"one of {', '.join(given.name for given in givens)}"
    mine = {label: [given.name for given in givens if given.kernel == label] for label in {g.kernel for g in givens}}
    names = [f"whoever imported {', '.join(mine[kernel.label])}" if kernel.label in mine else kernel.named_by or alone
            for kernel in kernels]  # fmt: skip
    return tuple(msgspec.structs.replace(kernel, named_by=name) for kernel, name in zip(kernels, names, strict=True))


def _comparable(reading: Reading) -> None:
    """Raises BadInput when no metric has values of two kernels, with the first field in which their series differ."""
    kernels: dict[tuple[object, ...], set[str]] = {}
    for s in reading.series:
        kernels.setdefault((s.workload, s.settings, s.metric, s.cpus), set()).add(s.kernel)
    if len(reading.kernels) < 2 or any(len(labels) > 1 for labels in kernels.values()):
        return
    first = reading.series[0]
    other = next((s for s in reading.series if s.kernel != first.kernel), first)
    raise BadInput(f"nothing was measured on two kernels: {first.kernel} has {_differs(first, other)}, {other.kernel} "
                   f"{_differs(other, first)}", "give results of the same test and settings; names of files may "
                   "tell which test they are of")  # fmt: skip


def _differs(series: SampleSeries, other: SampleSeries) -> str:
    """The first of workload, metric, settings and CPUs in which `other` differs, in words."""
    if series.workload != other.workload:
        return f"workload {series.workload[:60]!r}"
    if series.metric != other.metric:
        return f"metric {series.metric[:60]!r}"
    differing = [f"{item.name}={item.value}"[:60] for item in series.settings if item not in other.settings]
    if differing:
        return ", ".join(differing)
    return f"{series.cpus or 'an unknown number of'} CPUs" if series.cpus != other.cpus else "no setting"


def _ordered(reading: Reading, order: Sequence[str]) -> tuple[ImportedKernel, ...]:
    """The kernels, base first. Raises BadInput for fewer than two, and when nothing tells which one is the base."""
    kernels = {kernel.label: kernel for kernel in reading.kernels}
    if len(kernels) < 2:
        raise BadInput(f"only one kernel: {', '.join(kernels)}; a comparison has two",
                       "add another file, or name the kernels yourself: 6.12=FILE 6.17=FILE")  # fmt: skip
    listed = ",".join(kernels)
    if not order and reading.order_doubt:
        raise BadInput(reading.order_doubt, f"say it, base first: --kernel-order {listed}")
    if not order:
        return tuple(kernels.values())
    if sorted(order) != sorted(kernels):
        raise BadInput(f"--kernel-order {','.join(order)}: not the kernels of these files", f"these are: {listed}")
    return tuple(kernels[label] for label in order)


def _turned(reading: Reading) -> Reading:
    """The reading with its second kernel as the base, also in what a mail of two kernels says of both."""
    shares = tuple(
        msgspec.structs.replace(
            one, base_total=one.head_total, head_total=one.base_total,
            rows=tuple((name, head, base) for name, base, head in one.rows),
        )
        for one in reading.shares
    )  # fmt: skip
    header = reading.lkp_header
    if header is not None:
        header = msgspec.structs.replace(
            header, base_id=header.head_id, head_id=header.base_id, base_subject=header.head_subject,
            head_subject=header.base_subject,
        )  # fmt: skip
    return msgspec.structs.replace(reading, shares=shares, lkp_header=header)


def _with_primary(series: tuple[SampleSeries, ...], metric: str | None) -> tuple[SampleSeries, ...]:
    """Marks the metric that the answer is about: as asked, as the format says, else the first in the file."""
    names = list(dict.fromkeys(s.metric for s in series))
    if metric is None and any(s.primary for s in series):
        return series
    if metric is not None and metric not in names:
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        raise BadInput(f"--metric: no metric {metric!r} in these files", f"there are: {shown}")
    chosen_metric = names[0] if metric is None else metric
    return tuple(msgspec.structs.replace(s, primary=s.metric == chosen_metric) for s in series)
