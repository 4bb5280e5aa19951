# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the importers' tests: the real files, reading them, and the form of a refusal."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.samples import Samples, SampleSeries
from kassay.tools.imports.read import read

DATA = Path(__file__).parent.parent / "data" / "imports"
LKP = DATA / "lkp"
MAIL = DATA / "lkp-mail.txt"


def imported(*words: str, metric: str | None = None, order: Sequence[str] = ()) -> Samples:
    return read(words, name="x", metric=metric, order=order)[0]


def both(name: str, suffix: str, *names: str) -> tuple[str, ...]:
    """KERNEL=FILE words of a pair of files whose names end in -a and -b."""
    return tuple(f"{kernel}={DATA / f'{name}-{kernel}{suffix}'}" for kernel in (names or ("a", "b")))


def one(samples: Samples, kernel: str, metric: str, **settings: str) -> SampleSeries:
    """The only series of a kernel and a metric that has these settings."""
    found = [
        series
        for series in samples.series
        if (series.kernel, series.metric) == (kernel, metric)
        and settings.items() <= {s.name: s.value for s in series.settings}.items()
    ]
    assert len(found) == 1, [(s.workload, s.settings) for s in found]
    return found[0]


def values(series: SampleSeries) -> list[float | None]:
    return [sample.value for sample in series.samples]


def refused(*words: str, **options: str | Sequence[str]) -> str:
    """Text of a refusal: the file, a reason, and a way out, in one to three lines."""
    with pytest.raises(BadInput) as caught:
        imported(*words, **options)  # type: ignore[arg-type]
    assert caught.value.remedy
    assert len(str(caught.value).splitlines()) <= 3
    return str(caught.value)


def changed(tmp_path: Path, file: Path, old: str, new: str, *, name: str = "") -> Path:
    """A copy of a file with one text replaced, which must be there."""
    text = file.read_text()
    assert old in text
    copy = tmp_path / (name or file.name)
    copy.write_text(text.replace(old, new, 1))
    return copy
