# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp simulate: its options and its answer."""

from collections.abc import Sequence
from typing import Annotated

from typer import Argument, Option

from kassay.commands._options import format_option
from kassay.commands._set_option import name_and_value
from kassay.errors import BadInput
from kassay.labs.pcp.commands._options import AnswerDirectory
from kassay.report.answers import answer_formats

_UNUSED = {"--list": ("workload", "--policy", "--set", "--out", "--fresh", "--format")}


def simulate(
    workload: Annotated[
        str, Argument(metavar="[WORKLOAD]", help="Synthetic workload (see --list), or your own FILE.toml.")
    ] = "processes",
    policy: Annotated[
        str, Option(metavar="NAME,...", help="Policies to simulate. The first one is the baseline.")
    ] = "fixed,auto",
    set_: Annotated[
        list[str] | None,
        Option("--set", metavar="NAME=VALUE", help="Set a parameter of the machine, the run or the tasks. NAME=A,B "
               "simulates each value. May be repeated."),
    ] = None,
    out: AnswerDirectory = None,
    fresh: Annotated[bool, Option("--fresh", help="Simulate again, even if results exist.")] = False,
    list_: Annotated[bool, Option("--list", help="List workloads, policies and parameters.")] = False,
    format_: Annotated[str, format_option(answer_formats())] = "terminal",
) -> int:  # fmt: skip
    """Compare policies of the per-CPU page lists on a synthetic workload.

    A model of the zone and its lock counts pages and lock acquisitions. Times and contention follow from counted
    instructions. The same command gives the same digits, and resumes when it was stopped.

    Example: kassay pcp simulate

    Example: kassay pcp simulate depth --policy fixed,auto,auto_7_3 --set depth=256,1024,4096 --set cpus=112
    """
    from kassay.commands._inputs import check_directory
    from kassay.commands._show import give_answer, say, showing
    from kassay.commands._together import check_together
    from kassay.labs.pcp.report.simulated import SIMULATED
    from kassay.labs.pcp.simulate import Asked
    from kassay.labs.pcp.simulate import simulate as simulated

    check_together(unused=_UNUSED)
    form = SIMULATED.form(format_)
    if list_:
        say(_listing())
        return 0
    check_directory(out)
    policies = tuple(dict.fromkeys(filter(None, policy.split(","))))
    if not policies:
        raise BadInput("--policy: no name", "write --policy fixed,auto")
    asked = Asked(workload=workload, policies=policies, settings=settings_of(set_ or (), "cpus=112"), fresh=fresh)
    with showing() as tell:
        answer = simulated(asked, tell)
    give_answer(answer, SIMULATED, form, out)
    return 0


def settings_of(texts: Sequence[str], example: str) -> dict[str, tuple[str, ...]]:
    """Values of each name in the texts of --set. Raises BadInput for a name that is given twice."""
    settings: dict[str, tuple[str, ...]] = {}
    for name, values in (name_and_value(text, example) for text in texts):
        if name in settings:
            raise BadInput(f"--set {name}: given twice", f"write --set {name}=A,B for several values")
        settings[name] = tuple(dict.fromkeys(filter(None, values.split(","))))
    return settings


def _listing() -> str:
    from kassay.labs.pcp import engine
    from kassay.labs.pcp.parameters import parameters
    from kassay.labs.pcp.synthetic import synthetic, synthetic_workloads

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
