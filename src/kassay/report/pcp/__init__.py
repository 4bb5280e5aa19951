# SPDX-License-Identifier: GPL-2.0-only
"""Formats of a simulation of per-CPU page lists: one module of this package each, with a constant FORMAT."""

from typing import Any

from kassay.report.form import Form, form_named

SIMULATION_FORMATS = "kassay.report.pcp"


class SimulationFormat(Form[Any]):
    """A way to write a simulation (model.pcp.PcpSimulation) down."""


def simulation_format(name: str) -> SimulationFormat:
    """Raises BadInput that lists the formats."""
    return form_named(SIMULATION_FORMATS, name, SimulationFormat)
