# SPDX-License-Identifier: GPL-2.0-only
"""What a report format is: one module of this package with a constant FORMAT of this class."""

from collections.abc import Callable
from dataclasses import dataclass

from kassay.model.report import Report
from kassay.registry import discover


@dataclass(frozen=True, kw_only=True)
class Format:
    """A way to write a report down.

    name: as in --format, equal to the module's name. suffix: of a file in this format,
    with its dot. summary: one line for --help. render: pure; the same report gives the
    same text, which ends with a newline. whole: the report's verdict stands in it word for word, and both states of a
    refused comparison. partial: has no place for some reports, and then
    render raises BadInput that names a format which has.
    """

    name: str
    suffix: str
    summary: str
    render: Callable[[Report], str]
    whole: bool = True
    partial: bool = False


def formats() -> dict[str, Format]:
    """Every report format by name."""
    return dict(discover("kassay.report.formats", "FORMAT", Format))
