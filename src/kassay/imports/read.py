# SPDX-License-Identifier: GPL-2.0-only
"""Files in, Samples out: finds the format, reads, and settles which kernel is the base and which metric counts."""

from collections.abc import Mapping, Sequence

import msgspec

from kassay.effects.files import sha256_bytes
from kassay.errors import BadInput
from kassay.imports.gather import chosen, gather
from kassay.imports.importer import Given, Importer, Reading
from kassay.model.progress import Progress, Tell, silent
from kassay.model.samples import ImportedKernel, Samples, SampleSeries, Source
from kassay.registry import discover

_SHOWN = 6


def importers() -> Mapping[str, Importer]:
    """Every format by name."""
    return discover("kassay.imports.formats", "IMPORTER", Importer)


def read(words: Sequence[str], *, name: str, format_name: str | None = None, metric: str | None = None,
         order: Sequence[str] = (), tell: Tell = silent) -> tuple[Samples, Mapping[str, bytes]]:  # fmt: skip
    """Reads FILE or KERNEL=FILE words. Returns the samples, and every file's bytes by its name below source/.

    metric: what the answer is about instead of the format's own choice. order: all kernels, base first.
    Raises BadInput with file, line or place in the file, reason and way out.
    """
    known = importers()
    tell(Progress(stage="import", subject=", ".join(words)[:80], text="reading"))
    givens = gather(words, tuple(known.values()))
    importer = chosen(givens, known, format_name)
    reading = importer.read(givens)
    samples = Samples(
        name=name, sources=tuple(_source(given, reading) for given in givens), kernels=_ordered(reading, order),
        series=_with_primary(reading.series, metric), replication=reading.replication, machine=reading.machine,
        notes=(*reading.notes, *_alike(reading.kernels)), shares=reading.shares, lkp_header=reading.lkp_header,
    )  # fmt: skip
    return samples, {given.name: given.raw for given in givens}


def _alike(kernels: Sequence[ImportedKernel]) -> tuple[str, ...]:
    """Kernels that say they are the same one: a mistake, or two builds that the file cannot tell apart."""
    releases: dict[tuple[str, str | None], list[str]] = {}
    for kernel in kernels:
        if kernel.release is not None:
            releases.setdefault((kernel.release, kernel.commit), []).append(kernel.label)
    return tuple(f"{' and '.join(labels)} are all release {release}; the files do not tell them apart"
                 for (release, _), labels in releases.items() if len(labels) > 1)  # fmt: skip


def _source(given: Given, reading: Reading) -> Source:
    return Source(name=given.name, sha256=sha256_bytes(given.raw), format=reading.format)


def _ordered(reading: Reading, order: Sequence[str]) -> tuple[ImportedKernel, ...]:
    """Base first. Raises BadInput below two kernels, and when nothing tells which one is the base."""
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


def _with_primary(series: tuple[SampleSeries, ...], metric: str | None) -> tuple[SampleSeries, ...]:
    """Marks the metric that the answer is about: as asked, as the format says, else the first in the file."""
    names = list(dict.fromkeys(one.metric for one in series))
    if metric is None and any(one.primary for one in series):
        return series
    if metric is not None and metric not in names:
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        raise BadInput(f"--metric: no metric {metric!r} in these files", f"there are: {shown}")
    chosen_metric = names[0] if metric is None else metric
    return tuple(msgspec.structs.replace(one, primary=one.metric == chosen_metric) for one in series)
