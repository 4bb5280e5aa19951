# SPDX-License-Identifier: GPL-2.0-only
"""Does every page that a text names exist, and is every link one to a file that exists?"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.source import ROOT

_NAME = re.compile(r"(?<![\w./])docs/[\w./-]*?\.(?:md|png|svg)\b")
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_TEXTS = {".md", ".py", ".c", ".h", ".def", ".toml", ".config", ".yml", ""}
_PLACES = ("src", "tests", "benchmarks", "docs", "guest", "plugin", "core", "pcp", "scripts", "examples")


def texts() -> Iterator[tuple[Path, str]]:
    """Every text of the repository that may name a page, without the recorded data of tests."""
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    paths += [path for place in _PLACES for path in (ROOT / place).rglob("*") if path.is_file()]
    data = ROOT / "tests" / "data"
    for path in paths:
        if path.suffix in _TEXTS and data not in path.parents and "__pycache__" not in path.parts:
            yield path, path.read_text("utf-8", "replace")


def test_every_page_that_a_text_names_exists() -> None:
    named = [(path, name) for path, text in texts() for name in _NAME.findall(text)]
    assert len(named) > 100
    assert [(str(path.relative_to(ROOT)), name) for path, name in named if not (ROOT / name).exists()] == []


def test_every_link_of_a_page_leads_to_a_file() -> None:
    links = [
        (path, link)
        for path, text in texts()
        if path.suffix == ".md" and "golden" not in path.parts
        for link in _LINK.findall(text)
        if "://" not in link
    ]
    assert len(links) > 100
    assert [(str(path.relative_to(ROOT)), link) for path, link in links if not (path.parent / link).exists()] == []
