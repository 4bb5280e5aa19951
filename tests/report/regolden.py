# SPDX-License-Identifier: GPL-2.0-only
"""Writes the golden reports anew: python -m tests.report.regolden; then read the difference."""

import re
from pathlib import Path

from kassay.report.formats import Format
from tests.report.rendering import FORMATS, rendered

GOLDEN = ("ladder", "compare", "refused", "predicted")
_DIRECTORY = Path(__file__).parents[1] / "golden"


def golden_path(sample: str, form: Format) -> Path:
    """Path of the golden text of a sample in a format."""
    return _DIRECTORY / f"report-{sample}{form.suffix}"


def on_file(sample: str, form: Format) -> str:
    """A sample's text without the style and the scripts of a page, which have files of their own."""
    return re.sub(r"(?s)<(style|script)>.*?</\1>", r"<\1>...</\1>", rendered(form.name, sample))


def main() -> None:
    """Renders every golden sample in every format."""
    for form in FORMATS.values():
        for sample in () if form.timed_only else GOLDEN:
            golden_path(sample, form).write_text(on_file(sample, form), encoding="utf-8")


if __name__ == "__main__":
    main()
