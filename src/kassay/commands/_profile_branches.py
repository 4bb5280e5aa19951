# SPDX-License-Identifier: GPL-2.0-only
"""`kassay profile --branches`: branches and loops of one function, in the forms of an answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kassay import __version__, answers
from kassay.commands._show import say_answer
from kassay.model.branches import BranchReport
from kassay.report.branches import BRANCHES


def show_branches(
    directory: Path, kernels: Sequence[str], metric: str | None, settings: Mapping[str, str], function: str, form: str
) -> None:  # fmt: skip
    """form: name of a format. Raises BadInput for a function that a kernel does not have."""
    found = answers.branches(directory, kernels, metric, settings, function)
    report = BranchReport(function=function, kernels=found, kassay_version=__version__)
    say_answer(report, BRANCHES.form(form))
