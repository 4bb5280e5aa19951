# SPDX-License-Identifier: GPL-2.0-only
"""The program that runs a command for a user, as its environment describes it: a CI runner, or `b4 review`.

Sources: docs.github.com, "Variables reference"; docs/maintainer/review.rst of b4.
"""

import os
from pathlib import Path


def summary_file() -> Path | None:
    """The file whose text a GitHub runner shows as the summary of the step; None elsewhere."""
    name = os.environ.get("GITHUB_STEP_SUMMARY", "")
    return Path(name) if name else None


def takes_annotations() -> bool:
    """True if the runner reads workflow commands from standard output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def b4_tracking() -> Path | None:
    """The file in which `b4 review` describes the series that it checks; None elsewhere."""
    name = os.environ.get("B4_TRACKING_FILE", "")
    return Path(name) if name else None
