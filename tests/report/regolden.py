# SPDX-License-Identifier: GPL-2.0-only
"""Writes the golden reports anew: python -m tests.report.regolden; then read the difference."""

from pathlib import Path

from kassay.report.formats import Format
from tests.report.rendering import FORMATS, rendered

GOLDEN = ("ladder", "compare", "refused")
_DIRECTORY = Path(__file__).parents[1] / "golden"


def golden_path(sample: str, form: Format) -> Path:
    """Where the golden text of a sample in a format lies."""
    return _DIRECTORY / f"report-{sample}{form.suffix}"


def main() -> None:
    """Renders every golden sample in every format."""
    for form in FORMATS.values():
        for sample in () if form.partial else GOLDEN:
            golden_path(sample, form).write_text(rendered(form.name, sample), encoding="utf-8")


if __name__ == "__main__":
    main()
