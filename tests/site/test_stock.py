# SPDX-License-Identifier: GPL-2.0-only
"""The history of stock kernels that kassay brings: small, without paths of the machine that made it, and whole."""

from collections.abc import Sequence

import pytest

from kassay.labs.site.contents import read_site
from kassay.labs.site.model import Site
from kassay.labs.site.turn import steps_file
from kassay.spec.load import suite_workloads
from kassay.tools.history.archive import reading
from kassay.tools.history.packed import STOCK
from tests.source import ROOT

pytestmark = pytest.mark.slow  # a file of a database


@pytest.fixture(scope="module")
def site() -> Site:
    return read_site(STOCK)


def test_the_file_is_small_and_names_no_directory() -> None:
    assert STOCK.stat().st_size < 5_000_000
    with reading(STOCK) as archive:
        names = [name for (name,) in archive.rows("SELECT directory FROM experiments")]
    assert names and not [name for name in names if "/" in name]


@pytest.mark.parametrize(("arch", "suites"), [("x86_64", ("mm", "apps")), ("arm64", ("core",))])
def test_workloads_of_the_suites_are_rows(site: Site, arch: str, suites: tuple[str, ...]) -> None:
    rows = {series.workload for series in site.series if series.arch == arch}
    for suite in suites:
        assert len(rows & {use.name for use in suite_workloads(suite)}) > 10
    assert len([kernel for kernel in site.kernels if kernel.arch == arch and kernel.column]) == 10


def test_the_steps_of_the_laboratory_are_steps_of_the_site(site: Site) -> None:
    known = {(step.arch, step.series, step.before, step.after) for step in site.steps}
    entries: Sequence[steps_file.Entry] = steps_file.read(ROOT / "lab" / "steps.toml")
    assert entries
    assert [entry.id for entry in entries if (entry.arch, entry.series, entry.before, entry.after) not in known] == []


def test_functions_have_files_and_people(site: Site) -> None:
    function = next(function for function in site.functions if function.name == "change_protection")
    assert function.file == "mm/mprotect.c"
    assert "linux-mm@kvack.org" in function.maintainers
