# SPDX-License-Identifier: GPL-2.0-only
"""The short name of a setting: what it does, not how much."""

from collections.abc import Iterable

from kassay.model.records import Setting
from kassay.model.texts import one_line
from kassay.supply.guest import catalog

SIZES = ("size", "iterations")
"""Parameters that say how much is done. Every setting of a workload has the same."""


def setting_text(workload: str, settings: Iterable[Setting]) -> str:
    """ "folio_fork order=9": the workload with the parameters that have another value than by default."""
    described = catalog.workloads().get(workload)
    usual = {p.name: p.default for p in described.parameters} if described is not None else {}
    own = [f"{s.name}={s.value}" for s in settings if s.name not in SIZES and s.value != usual.get(s.name)]
    return one_line(" ".join((workload, *own)))
