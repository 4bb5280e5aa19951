# SPDX-License-Identifier: GPL-2.0-only
"""The CI runner that a command runs in, as its environment describes it.

Source: docs.github.com, "Variables reference".
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
