# SPDX-License-Identifier: GPL-2.0-only
"""Options that several commands of the laboratory have."""

from pathlib import Path
from typing import Annotated

from typer import Option

AnswerDirectory = Annotated[
    Path | None, Option("--out", metavar="DIR", help="Directory for report.html and the answer's other formats.")
]
