# SPDX-License-Identifier: GPL-2.0-only
"""Lines "BOOT NANOSECONDS": one value of one boot each."""

import re

from kassay.model.samples import ImportedKernel, Sample
from kassay.tools.imports.importer import FileRow, Importer, Metric, Reading, kernel_of, series_of
from kassay.tools.imports.text import cost, text_of

TIME = Metric(name="time", unit="ns", better="lower", definition="what the second column says")


def _recognise(given):
    return re.match(rb"boot\d+ [\d.]+\n", given.data) is not None


def _read(givens):
    kernels = {given.location: kernel_of(given, None, "a list of two columns") for given in givens}
    rows = [row for given in givens for row in _rows(given, kernels[given.location])]
    known = tuple(ImportedKernel(label=label) for label in dict.fromkeys(kernels.values()))
    return Reading(format="two columns", kernels=known, series=series_of(rows), replication="boot")


def _rows(given, kernel):
    for number, line in enumerate(text_of(given).splitlines(), 1):
        at = f"{given.location}: line {number}"
        boot, _, value = line.partition(" ")
        yield FileRow(
            kernel=kernel, workload="unnamed", metric=TIME, sample=Sample(value=cost(value, at), run=boot), location=at
        )


IMPORTER = Importer(name="two_columns", title="lines of a boot and its nanoseconds", recognise=_recognise, read=_read)
