# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp: the per-CPU page lists, simulated, measured on real kernels, and replayed from a recorded guest."""

import typer

from kassay.commands import Command
from kassay.labs.pcp.commands._measure import measure
from kassay.labs.pcp.commands._record import record
from kassay.labs.pcp.commands._replay import replay
from kassay.labs.pcp.commands._simulate import simulate
from kassay.labs.pcp.commands._tune import tune

_app = typer.Typer(
    no_args_is_help=True,
    help="Study the per-CPU page lists (PCP): how many pages pass the zone lock under which policy. Simulate any "
    "number of CPUs, measure real kernels, or replay a recorded guest.",
)
_app.command("simulate")(simulate)
_app.command("measure")(measure)
_app.command("record")(record)
_app.command("replay")(replay)
_app.command("tune")(tune)

COMMAND = Command(name="pcp", order=75, run=_app)
