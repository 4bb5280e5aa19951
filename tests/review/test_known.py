# SPDX-License-Identifier: GPL-2.0-only
"""The first answer: workloads that execute changed functions, from the atlas, then from the table of inlined ones."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.labs.review.known import known, known_line, known_texts, uses_of
from kassay.labs.review.model import Known
from kassay.labs.review.report import REVIEW
from kassay.model.progress import silent
from kassay.tools.atlas import read
from tests.atlas.histories import costs_batch, history
from tests.review.reviews import review

COSTS = {
    "mprotect_toggle": {"change_protection": (200.0, 900.0), "__x64_sys_mprotect": (100.0, 950.0)},
    "process_exec": {"change_protection": (9.0, 20.0)},
    "vma_split": {"do_mprotect_pkey": (500.0, 500.0)},
}


@pytest.fixture
def atlas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs of three workloads on 6.17.13, and of one on 7.3.4."""
    place = tmp_path / "kassay" / "history.duckdb"
    place.parent.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(read, "STOCK", tmp_path / "absent")
    for workload, by_name in COSTS.items():
        history(place, costs_batch({"6.17.13": dict(by_name)}, workload, values=(1000,)))
    history(place, costs_batch({"7.3.4": {"change_protection": (1.0, 1.0)}}, "page_fault", values=(1000,)))


@pytest.mark.slow
def test_workloads_on_the_nearest_stock_kernel_come_with_their_shares(atlas: None) -> None:
    found = known(["change_protection", "__do_sys_mprotect"], "6.17.4", "x86_64", silent)
    assert (found.kernel, found.date, found.inlined, found.unknown) == ("6.17.13-1", "2026-11-21", (), ())
    assert [(row.setting, row.cost, row.share, row.functions) for row in found.settings] == [
        ("mprotect_toggle", 300.0, 0.3, ("change_protection", "__do_sys_mprotect")),
        ("process_exec", 9.0, 0.009, ("change_protection",)),
    ]
    assert [use.name for use in uses_of(found)] == ["mprotect_toggle", "process_exec"]
    assert known_texts(found)[1] == (
        "  mprotect_toggle: 30 %, 300 instructions/page in change_protection and __do_sys_mprotect"
    )
    assert known_line(found) == "executed by mprotect_toggle 30 % and process_exec 0.9 %"
    assert [row.setting for row in known(["change_protection"], "7.3.1", "x86_64", silent).settings] == ["page_fault"]


@pytest.mark.slow
def test_inlined_functions_come_from_the_table_and_unknown_ones_are_named(atlas: None) -> None:
    found = known(["move_ptes", "no_such_function"], "6.17.4", "x86_64", silent)
    assert found.settings == () and found.unknown == ("no_such_function",)
    ((name, workloads),) = found.inlined
    assert name == "move_ptes" and "folio_mremap" in {workload.partition(" ")[0] for workload in workloads}
    assert "folio_mremap" in {use.name for use in uses_of(found)}
    assert "folio_mremap" in known_line(found) and "move_ptes is inlined in stock kernels" in known_texts(found)[0]


@pytest.mark.slow
def test_without_an_atlas_the_table_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "known_histories", lambda: ())
    found = known(["change_pte_range"], "6.17.4", "x86_64", silent)
    assert found.kernel == "" and "mprotect_toggle" in {use.name for use in uses_of(found)}
    nothing = known([], "6.17.4", "x86_64", silent)
    assert uses_of(nothing) == () and known_line(nothing) == "" and known_texts(nothing) == ()


def test_a_page_has_the_first_answer() -> None:
    first = Known(kernel="7.3.4-1", inlined=(("move_ptes", ("folio_mremap",)),))
    text = REVIEW.form("markdown").render(structs.replace(review(), known=first))
    assert "Known before the first run" in text and "seen in folio" in text
    assert "Known before the first run" not in REVIEW.form("mail").render(structs.replace(review(), known=first))
