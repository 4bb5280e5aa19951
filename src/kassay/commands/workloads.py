# SPDX-License-Identifier: GPL-2.0-only
"""kassay workloads: what can be run, with parameters, metrics and required state."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete

if TYPE_CHECKING:
    from rich.console import Console

    from kassay.model.workload import Parameter, Workload


def _workloads(
    name: Annotated[str | None, Argument(help="Show one workload whole.", autocompletion=complete.workloads)] = None,
    header: Annotated[
        bool, Option("--header", help="Print kassay.h: two macros that mark rounds in a program of your own.")
    ] = False,
) -> int:
    """List the workloads by group, or show one: parameters with units, metrics with definitions, required state."""
    if header:
        from kassay.commands._show import say
        from kassay.guest import program

        say(program.header().read_text())
        return 0
    from rich.console import Console
    from rich.table import Table

    from kassay.guest import catalog

    console = Console()
    if name is not None:
        _show(console, catalog.find(catalog.workloads(), name))
        return 0
    groups = catalog.grouped()
    width = max(len(workload.name) for _, members in groups for workload in members)
    for number, (group, members) in enumerate(groups):
        console.print(f"[bold]{group}[/bold]" if number == 0 else f"\n[bold]{group}[/bold]")
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(min_width=width)
        for workload in members:
            table.add_row(workload.name, workload.summary)
        console.print(table)
    return 0


def _show(console: "Console", workload: "Workload") -> None:
    from rich.table import Table

    console.print(f"[bold]{workload.name}[/bold]: {workload.summary}\n")
    table = Table("parameter", "default", "values", "meaning", box=None, pad_edge=False)
    for parameter in workload.parameters:
        table.add_row(parameter.name, parameter.default, _values(parameter), parameter.summary)
    console.print(table)
    phases = Table("metric", "per", "definition", box=None, pad_edge=False)
    for phase in workload.phases:
        phases.add_row(phase.name + (" *" if phase.primary else ""), phase.operation, phase.definition)
    console.print()
    console.print(phases)
    console.print(f"\ngroup: {workload.group}\nrequired state: {workload.state}", highlight=False)
    if workload.alters:
        console.print(f"changes the machine while it runs: {workload.alters}", highlight=False)
    console.print("* the metric a verdict is about", highlight=False)


def _values(parameter: "Parameter") -> str:
    if parameter.choices:
        return " | ".join(parameter.choices)
    return f"{parameter.minimum}..{parameter.maximum} {parameter.unit}"


COMMAND = Command(name="workloads", order=50, run=_workloads)
