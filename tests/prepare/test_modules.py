# SPDX-License-Identifier: GPL-2.0-only
"""A kernel whose modules the archive no longer has fails where they are needed, and only there."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.model.progress import Progress, silent
from kassay.supply import kernels as kernel_store
from kassay.supply.prepare.kernels import MissingModules, fetch_modules
from tests.analysis.plans import WORKLOAD, plan_of

EXPERIMENT = plan_of(2).experiment
GIVEN = ((structs.replace(WORKLOAD, modules=("nf_tables",)),), (("w", ()),))


def _without_modules(kernels: Sequence[str]) -> Any:
    def load(artifact: str, names: Sequence[str], tell: object) -> tuple[()]:
        if artifact in kernels:
            raise BadInput(f"{artifact}: the archive no longer has its modules", "take another kernel")
        return ()

    return load


def test_a_kernel_without_modules_is_named_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_store, "load_modules", _without_modules(["second"]))
    heard: list[Progress] = []
    missing = fetch_modules(EXPERIMENT, *GIVEN, ("first", "second"), heard.append)  # type: ignore[arg-type]  # all that is asked of
    problem = "second: the archive no longer has its modules; take another kernel"  # an artifact here is handed on
    assert missing == (MissingModules(1, ("nf_tables",), problem),)
    assert [event.text for event in heard] == [problem]


def test_where_no_run_is_left_the_reason_is_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_store, "load_modules", _without_modules(["first", "second"]))
    with pytest.raises(BadInput, match="no longer has its modules"):
        fetch_modules(EXPERIMENT, *GIVEN, ("first", "second"), silent)  # type: ignore[arg-type]
