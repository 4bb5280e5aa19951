# SPDX-License-Identifier: GPL-2.0-only
"""The table of workloads is whole, names only workloads of the catalogue, and knows inlined functions."""

import pytest

from kassay.evidence.reached import MOST, reached
from kassay.supply.guest import catalog


def test_every_row_names_workloads_of_the_catalogue() -> None:
    names = set(catalog.workloads())
    assert len(reached()) > 3000
    for function in reached():
        found = reached()[function]
        assert 1 <= len(found.workloads) == min(found.count, MOST)
        assert {workload.partition(" ")[0] for workload in found.workloads} <= names


@pytest.mark.parametrize(
    ("function", "workload"),
    [("move_ptes", "folio_mremap"), ("change_pte_range", "mprotect_toggle"), ("do_anonymous_page", "page_fault")],
)
def test_a_function_that_is_inlined_is_found_with_the_workload_that_is_made_for_it(
    function: str, workload: str
) -> None:
    assert workload in {name.partition(" ")[0] for name in reached()[function].workloads}


def test_function_that_no_workload_executes_has_no_workloads() -> None:
    found = reached()["no_such_function"]
    assert (found.workloads, found.count, found.kernel) == ((), 0, reached()["move_ptes"].kernel)
    assert "" not in reached()
