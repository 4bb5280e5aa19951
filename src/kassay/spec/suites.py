# SPDX-License-Identifier: GPL-2.0-only
"""Suites: lists of workloads with their settings.

One TOML file each, in the folder suites beside this file and in suites/ of KASSAY_PATH.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kassay.errors import BadInput, unknown
from kassay.registry import files

_OWN = Path(__file__).parent / "suites"


def suites() -> Mapping[str, Path]:
    """Every suite by name."""
    return {Path(name).stem: path for name, path in files(_OWN, "suites", "*.toml").items()}


def table_of(name: str) -> tuple[Path, dict[str, Any]]:
    """The file of a suite and what it says: summary, and workloads as in an experiment file. Raises BadInput."""
    paths = suites()
    if name not in paths:
        raise unknown("unknown suite", name, paths)
    path = paths[name]
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path}: {error}", "a suite is TOML; docs/reference/experiment.md shows one") from error
