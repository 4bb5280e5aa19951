# SPDX-License-Identifier: GPL-2.0-only
"""A cost from outside: a stored run's profile, weighed by it."""

from pathlib import Path

import pytest

from kassay.effects.files import cache_directory
from tests.extending.outside import Outside, outside

FILE = '''
"""entries: how often functions are entered."""

from kassay.model.costs import Cost

COST = Cost(name="entries", unit="entries", definition="executions of a function's first instruction",
            of=lambda row: row.calls)
'''


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    found = outside(tmp_path_factory.mktemp("cost"))
    found.add("costs/entries.py", FILE)
    return found


def test_help_and_refusals_list_it(added: Outside) -> None:
    assert "entries" in added.kassay("profile", "--help")


@pytest.mark.boot
def test_a_stored_run_is_shown_by_it(added: Outside) -> None:
    images = sorted((cache_directory() / "kernels").glob("*/kernel.json"))
    image = next((path.parent / "image" for path in images if '"arch":"x86_64"' in path.read_text()), Path())
    if not image.is_file():
        pytest.skip("no kernel in the store: kassay kernels fetch debian:6.12")
    kernel = f"image:{image}"
    few = (
        "--set",
        "size=64KiB",
        "--repeats",
        "1",
        "--perturb",
        "0",
        "--rounds",
        "2",
        "--profile",
        "memory",
        "--boot",
        "snapshot",
    )
    added.kassay("compare", "mincore_scan", kernel, kernel, *few, "--out", "d")
    one = ("profile", "d", "--kernel", f"{kernel} (base)", "--top", "0")
    entries = added.kassay(*one, "--cost", "entries")
    assert "[entries/page]" in entries and "mincore" in entries
    assert "[memory accesses/page]" in added.kassay(*one, "--cost", "accesses")
    assert "[instructions/page]" in added.kassay(*one)
    pair = added.kassay("profile", "d", "--cost", "entries")
    assert "[entries/page]" in pair and "total" in pair  # one kernel against itself: no difference
    refused = added.kassay("profile", "d", "--cost", "hours", status=2)
    assert "unknown 'hours'" in refused and "entries (executions of" in refused
