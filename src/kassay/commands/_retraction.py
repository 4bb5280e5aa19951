# SPDX-License-Identifier: GPL-2.0-only
"""`kassay report NEW --retracts OLD`: an earlier report taken back, from directories or bundles."""

from pathlib import Path

from kassay.commands._show import say_answer, showing
from kassay.model.progress import Tell
from kassay.model.report import Report
from kassay.report.answer_form import Given
from kassay.report.retraction import RETRACTION, retraction


def show_retraction(new: Path, old: Path, form_name: str, given: Given) -> None:
    """Raises BadInput for what is neither, and where nothing is to be taken back."""
    form = RETRACTION.form(form_name)
    with showing() as tell:
        earlier = _report_of(old, tell)
        taken = retraction(_report_of(new, tell), earlier)
    say_answer(taken, form, given)


def _report_of(path: Path, tell: Tell) -> Report:
    """The report of a directory of runs, of an import, or of a bundle, whose files are checked."""
    from kassay.tools.bundle.manifest import NAME

    if path.is_file() or (path / NAME).is_file():
        from kassay.tools.bundle.verify import LIMIT, packed_report

        return packed_report(path, LIMIT, tell)
    from kassay.answers import report_of

    return report_of(path, tell)
