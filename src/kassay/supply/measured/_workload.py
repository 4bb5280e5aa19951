# SPDX-License-Identifier: GPL-2.0-only
"""A workload of kassay, or one of a directory of KASSAY_PATH: a C file in guest/workloads/."""

from collections.abc import Sequence
from pathlib import Path

from kassay.model.records import Setting
from kassay.model.workload import Workload
from kassay.supply.guest import catalog
from kassay.supply.guest.compile import build
from kassay.supply.measured._interface import Measured


class MeasuredWorkload(Measured):
    """It describes and measures itself."""

    def describe(self) -> Workload:
        return catalog.find(catalog.workloads(), self.name)

    @property
    def guest_program(self) -> str:
        return self.name

    def build(self, arch: str) -> Path:
        return build(self.name, arch)

    def arguments(self, settings: Sequence[Setting], common: Sequence[str]) -> tuple[str, ...]:
        return ("--run", *(f"{setting.name}={setting.value}" for setting in settings), *common)
