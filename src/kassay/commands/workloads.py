# SPDX-License-Identifier: GPL-2.0-only
"""kassay workloads: what can be run, with parameters, metrics and required state."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import join
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from kassay.commands import Command
from kassay.commands import _complete as complete
from kassay.commands._set_option import name_and_value

if TYPE_CHECKING:
    from rich.console import Console

    from kassay.model.application import Application
    from kassay.model.workload import Parameter, Workload

_NEEDS = {"--rounds": ("--reproducer", "--set")}
_UNUSED = {"--header": ("name", "--reproducer", "--set", "--rounds")}


def _workloads(
    name: Annotated[
        str | None, Argument(help="Workload or application to show.", autocompletion=complete.workloads)
    ] = None,
    header: Annotated[
        bool, Option("--header", help="Print kassay.h, whose two macros mark rounds in your own program.")
    ] = False,
    reproducer: Annotated[
        bool,
        Option(
            "--reproducer", help="Print the workload as one C file for any machine. Compile it with gcc -pthread FILE."
        ),
    ] = False,
    setting: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Set a parameter of the reproducer. May be repeated."),
    ] = None,
    rounds: Annotated[int, Option("--rounds", metavar="N", min=1, help="Number of rounds of the reproducer.")] = 20,
) -> int:
    """List workloads and applications, or describe one.

    A description has the parameters, the metrics with their definitions, and the required memory state.
    """
    from kassay.commands._show import say, showing
    from kassay.commands._together import check_together

    check_together(_NEEDS, _UNUSED)
    if header:
        from kassay.supply.guest import program

        say(program.header().read_text())
        return 0
    from rich.console import Console
    from rich.table import Table

    from kassay.model.application import GROUP
    from kassay.supply.applications import application, applications, is_application
    from kassay.supply.guest import catalog
    from kassay.supply.guest.application import workload_of

    if reproducer or setting:
        say(_reproducer(name, setting or [], rounds))
        return 0
    console = Console()
    if name is not None:
        if is_application(name):
            _show_application(console, application(name))
            return 0
        catalog.check_name(name)
        with _some_cache():
            workload = catalog.find(catalog.workloads(), name)
        _show(console, workload)
        return 0
    with showing(), _some_cache():  # the first time each workload is compiled, to describe itself
        described = catalog.grouped()
    groups = (*described, (GROUP, tuple(map(workload_of, applications().values()))))
    width = max(len(workload.name) for _, members in groups for workload in members)
    for number, (group, members) in enumerate(groups):
        console.print(f"[bold]{group}[/bold]" if number == 0 else f"\n[bold]{group}[/bold]")
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(min_width=width)
        for workload in members:
            table.add_row(workload.name, workload.summary)
        console.print(table)
    return 0


@contextmanager
def _some_cache() -> Iterator[None]:
    """The cache; where it cannot be written, a directory that goes with this command."""
    from kassay.effects.files import can_write_cache
    from kassay.effects.second_cache import cache_in

    if can_write_cache():
        yield
        return
    with TemporaryDirectory(prefix="kassay-cache-") as directory, cache_in(Path(directory), "derived"):
        yield


def _reproducer(name: str | None, given: list[str], rounds: int) -> str:
    from kassay.errors import BadInput
    from kassay.model.records import Setting
    from kassay.supply.applications import is_application
    from kassay.supply.arches import arch_of
    from kassay.supply.guest import catalog
    from kassay.supply.guest.reproducer import reproducer

    if name is None:
        raise BadInput("--reproducer: of which workload?", "write kassay workloads NAME --reproducer")
    if is_application(name):
        raise BadInput(f"--reproducer: {name} is an application, an unmodified program of the archive",
                       f"kassay workloads {name} names its packages and commands")  # fmt: skip
    with _some_cache():
        workload = catalog.find(catalog.workloads(), name)
    settings = tuple(Setting(name=parameter, value=value) for parameter, value in map(name_and_value, given))
    chosen = catalog.settings(workload, settings, arch_of("x86_64"))
    return reproducer(workload, [chosen], rounds, f"{name}.c")


def _show_application(console: "Console", application: "Application") -> None:
    """Prints an application, with its commands in the order of their execution."""
    from rich.table import Table
    from rich.text import Text

    from kassay.supply.guest.application import workload_of

    workload = workload_of(application)
    _show(console, workload, state=False)
    commands = [
        *(("setup", command) for command in application.setup),
        *((("server", application.server),) if application.server else ()),
        *(("between", command) for command in application.between),
        ("measured", application.command),
        *(("check", command) for command in application.checks),
    ]
    facts = [("memory use", application.uses), ("packages", ", ".join(application.packages))]
    facts += [("architectures", ", ".join(application.arches)), ("machine memory", application.memory)]
    facts += [(word, join(command)) for word, command in commands]
    facts += [("ready", application.ready)] if application.ready else []
    facts += [("environment", " ".join(application.environment))] if application.environment else []
    facts += [("user", str(application.user)), ("directory", application.directory)]
    facts += [("input", ", ".join(f"{name} ({len(data)} bytes)" for name, data in application.inputs().items()))]
    facts += [("required", ", ".join(application.require) or "exit status 0")]
    facts += [("limit", f"{application.limit_ms / 1000:g} s of guest time for one execution")]
    facts += [("differs", application.disclosed or "nothing that is known")]
    rows = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for word, text in facts:
        rows.add_row(word, Text(text))
    console.print()
    console.print(rows)


def _show(console: "Console", workload: "Workload", state: bool = True) -> None:
    from rich.table import Table

    console.print(f"[bold]{workload.name}[/bold]: {workload.summary}\n")
    table = Table("parameter", "default", "values", "meaning", box=None, pad_edge=False)
    for parameter in workload.parameters:
        table.add_row(parameter.name, parameter.default, _values(parameter), parameter.summary)
    if workload.parameters or state:
        console.print(table)
        console.print()
    phases = Table("metric", "per", "definition", box=None, pad_edge=False)
    for phase in workload.phases:
        phases.add_row(phase.name + (" *" if phase.primary else ""), phase.operation, phase.definition)
    console.print(phases)
    if state:
        console.print(f"\ngroup: {workload.group}\nrequired state: {workload.state}", highlight=False)
    if workload.alters:
        console.print(f"changes the machine while it runs: {workload.alters}", highlight=False)
    for conflict in workload.conflicts:
        console.print(f"cannot be measured with {' and '.join(conflict.terms)}: {conflict.why}", highlight=False)
    console.print("* the metric a verdict is about", highlight=False)


def _values(parameter: "Parameter") -> str:
    if parameter.choices:
        return " | ".join(parameter.choices)
    return f"{parameter.minimum}..{parameter.maximum} {parameter.unit}"


COMMAND = Command(name="workloads", order=50, run=_workloads)
