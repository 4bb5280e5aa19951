# SPDX-License-Identifier: GPL-2.0-only
"""A kernel whose modules the archive no longer has fails where they are needed, and only there."""

from collections.abc import Sequence
from typing import Any

import pytest

from kassay.errors import BadInput
from kassay.model.progress import Progress, silent
from kassay.plan.prepare import _fetch_modules
from kassay.supply import kernels as kernel_store
from tests.analysis.plans import plan_of


def _without_modules(kernels: Sequence[str]) -> Any:
    def load(artifact: str, names: Sequence[str], tell: object) -> tuple[()]:
        if artifact in kernels:
            raise BadInput(f"{artifact}: the archive no longer has its modules")
        return ()

    return load


def test_cells_of_a_kernel_without_modules_are_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(2)
    monkeypatch.setattr(kernel_store, "load_modules", _without_modules(["second"]))
    heard: list[Progress] = []
    lacking = _fetch_modules(plan, ("first", "second"), heard.append)  # type: ignore[arg-type]  # all that is asked of
    assert lacking == tuple(  # an artifact here is handed on
        (cell.id, "second: the archive no longer has its modules") for cell in plan.cells if cell.kernel == 1
    )
    assert lacking and [event.text for event in heard] == ["second: the archive no longer has its modules"]


def test_where_no_cell_is_left_the_reason_is_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_store, "load_modules", _without_modules(["first", "second"]))
    with pytest.raises(BadInput, match="no longer has its modules"):
        _fetch_modules(plan_of(2), ("first", "second"), silent)  # type: ignore[arg-type]
