# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp simulate: its options and its answer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from kassay.clocks import listed
from kassay.commands._set_words import name_and_value
from kassay.errors import BadInput
from kassay.registry import names
from kassay.report.pcp import SIMULATION_FORMATS, simulation_format

if TYPE_CHECKING:
    from kassay.model.pcp import PcpSimulation


def simulate(
    workload: Annotated[
        str, Argument(metavar="[WORKLOAD]", help="A synthetic workload (--list), or a FILE.toml of yours.")
    ] = "processes",
    policy: Annotated[
        str, Option(metavar="NAME,...", help="Policies; the others are compared with the first.")
    ] = "fixed,auto",
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="A parameter of the machine, the run or the tasks; several values, "
               "separated by commas, are simulated each."),
    ] = None,
    out: Annotated[Path | None, Option(help="Directory for report.html, report.json and report.txt.")] = None,
    fresh: Annotated[bool, Option("--fresh", help="Simulate again what was simulated before.")] = False,
    list_: Annotated[bool, Option("--list", help="List workloads, policies and parameters, and end.")] = False,
    format_: Annotated[str, Option("--format", help=f"{listed(names(SIMULATION_FORMATS))}.")] = "terminal",
) -> int:  # fmt: skip
    """Compare policies of the per-CPU page lists on a synthetic workload, in a model of the zone and its lock.

    Pages and zone-lock acquisitions are counted in the model; times and contention follow from counted instructions.
    The same command gives the same digits, and goes on where it was stopped.

    Example: kassay pcp simulate

    Example: kassay pcp simulate depth --policy fixed,auto,auto_7_3 --set depth=256,1024,4096 --set cpus=112
    """
    from kassay.commands._show import say, showing
    from kassay.pcp.simulate import Asked
    from kassay.pcp.simulate import simulate as simulated

    form = simulation_format(format_)
    if list_:
        say(_listing())
        return 0
    if out is not None and out.exists() and not out.is_dir():
        raise BadInput(f"--out {out}: not a directory", "name a directory")
    policies = tuple(dict.fromkeys(filter(None, policy.split(","))))
    if not policies:
        raise BadInput("--policy: no name", "write --policy fixed,auto")
    asked = Asked(workload=workload, policies=policies, settings=_settings(set_ or ()), fresh=fresh)
    with showing() as tell:
        answer = simulated(asked, tell)
    if out is not None:
        _written(answer, out)
    say(form.render(answer))
    if out is not None:
        say(f"report: {out / 'report.html'}\n")
    return 0


def _settings(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    settings: dict[str, tuple[str, ...]] = {}
    for name, values in (name_and_value(text, "cpus=112") for text in texts):
        if name in settings:
            raise BadInput(f"--set {name}: given twice", f"write --set {name}=A,B for several values")
        settings[name] = tuple(dict.fromkeys(filter(None, values.split(","))))
    return settings


def _written(answer: "PcpSimulation", out: Path) -> None:
    from kassay.effects.files import write_atomic

    for name in ("html", "json", "terminal"):
        form = simulation_format(name)
        write_atomic(out / f"report{form.suffix}", form.render(answer).encode())


def _listing() -> str:
    from kassay.pcp import engine
    from kassay.pcp.parameters import parameters
    from kassay.pcp.synthetic import synthetic, synthetic_workloads

    lines = ["Workloads"]
    lines += [f"  {name:<16}{synthetic(name).summary}" for name in synthetic_workloads()]
    lines += ["", "Policies"]
    lines += [f"  {policy.name:<16}{policy.summary} ({policy.kernels})" for policy in engine.policies().values()]
    of = ""
    for parameter in parameters():
        if parameter.of != of:
            of = parameter.of
            lines += ["", f"Parameters of the {of} (--set)"]
        lines.append(f"  {parameter.name:<16}{parameter.meaning}")
    return "\n".join(lines) + "\n"
