# SPDX-License-Identifier: GPL-2.0-only
"""Does every page that a text names exist, is every link one to a file that exists, and are the pages few?"""

import re
from functools import cache
from pathlib import Path

from kassay.spec.load import suite_workloads
from kassay.supply.applications import applications
from kassay.supply.guest.sources import workload_names
from tests.source import ROOT

_NAME = re.compile(r"(?<![\w./])docs/[\w./-]*?\.(?:md|png|svg)\b")
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_TEXTS = {".md", ".py", ".c", ".h", ".def", ".toml", ".config", ".yml", ""}
README = (ROOT / "README.md").read_text("utf-8")
_MADE = "<!-- Made by"
"""A page that `make pages` writes begins with it."""
_FROM_SOURCES = {"reference/reasons.md"}
"""A page whose text another test holds to the sources."""
PAGES, WORDS, HOW_TO = 40, 60_000, 10
"""At most so many hand-written pages, words in all of them, and pages in how-to/."""
_PLACES = ("src", "tests", "benchmarks", "docs", "guest", "plugin", "core", "pcp", "scripts", "examples")


@cache
def texts() -> tuple[tuple[Path, str], ...]:
    """Every text of the repository that may name a page, without the recorded data of tests."""
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    paths += [path for place in _PLACES for path in (ROOT / place).rglob("*") if path.is_file()]
    data = ROOT / "tests" / "data"
    return tuple(
        (path, path.read_text("utf-8", "replace"))
        for path in paths
        if path.suffix in _TEXTS and data not in path.parents and "__pycache__" not in path.parts
    )


def test_every_page_that_a_text_names_exists() -> None:
    named = [(path, name) for path, text in texts() if "docs/" in text for name in _NAME.findall(text)]
    assert len(named) > 100
    assert [(str(path.relative_to(ROOT)), name) for path, name in named if not (ROOT / name).exists()] == []


def test_readme_counts_the_catalogue() -> None:
    said = re.search(r"lists (\d+) workloads, of which (\d+) are in\s+the suite `mm`, and (\d+) unmodified", README)
    assert said
    counted = (len(workload_names()), len(suite_workloads("mm")), len(applications()))
    assert tuple(map(int, said.groups())) == counted


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


def hand_written(docs: Path) -> dict[str, int]:
    """Words (`wc -w`) of every page that people write, by its path below `docs`. Results are no part of it, nor are
    pages that come from the sources."""
    pages = {str(path.relative_to(docs)): path.read_text("utf-8") for path in docs.rglob("*.md")}
    return {
        name: len(text.split())
        for name, text in sorted(pages.items())
        if not name.startswith("results/") and name not in _FROM_SOURCES and not text.startswith(_MADE)
    }


def test_pages_stay_few_and_short() -> None:
    """A reader finds a page by its name only while there are few. Make two pages one before adding one too many."""
    words = hand_written(ROOT / "docs")
    how_to = [name for name in words if name.startswith("how-to/")]
    assert len(words) <= PAGES, f"{len(words)} hand-written pages, at most {PAGES}: {', '.join(words)}"
    assert len(how_to) <= HOW_TO, f"{len(how_to)} pages in how-to/, at most {HOW_TO}: {', '.join(how_to)}"
    longest = sorted(words, key=lambda name: -words[name])[:10]
    assert sum(words.values()) <= WORDS, (
        f"{sum(words.values())} words in hand-written pages, at most {WORDS}. The longest: "
        + ", ".join(f"{name} {words[name]}" for name in longest)
    )
