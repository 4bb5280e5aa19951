# SPDX-License-Identifier: GPL-2.0-only
"""What else differs between two compared kernels, so that it may be part of the result."""

from kassay.model.records import Record

CONFOUNDERS = {
    "compiler": "the kernels were built by different compilers, or by different versions of one",
    "configuration": "the kernels were configured differently in code that the workload may run, or the configuration "
    "of one of them is not known",
    "cpu": "the machines that executed the two kernels have different CPU features",
}
"""Every code, in the order in which they are named, with its meaning."""


class Confounder(Record, frozen=True, kw_only=True):
    """One thing in which base and head differ.

    code: a word of CONFOUNDERS. name: of the symbol or feature that differs; "" where the code says it all. base, head:
    what each has ("gcc 14.2.0", "y", "not set"); None when that is not known.
    """

    code: str
    name: str = ""
    base: str | None
    head: str | None
