# SPDX-License-Identifier: GPL-2.0-only
"""kassay bisect: which commit, or which release, made it slower?"""

from pathlib import Path
from typing import Annotated, Any

from msgspec import structs
from typer import Argument, Option

from kassay import pipeline
from kassay.commands import Command
from kassay.commands._answer import deliver, format_named, status
from kassay.commands._bisect_step import guarded, step
from kassay.commands._options import directory_for, experiment_from, with_shared_options
from kassay.commands._show import say, showing
from kassay.errors import BadInput
from kassay.model.bisect import Question
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress, Tell
from kassay.search import log as searchlog
from kassay.search import loop as bisecting
from kassay.search.candidates import Range, between, listed
from kassay.search.probe import prober

_PANEL = "Search"
_STEPS = ("all", "largest")


@with_shared_options
def _bisect(
    workload: Annotated[str, Argument(help="What to run; `kassay workloads` lists them.")] = "",
    kernels: Annotated[
        list[str] | None, Argument(metavar="[KERNEL KERNEL...]", help="A plain list, oldest first.", show_default=False)
    ] = None,
    good: Annotated[
        str,
        Option(help="A kernel without the change, e.g. debian:6.12 or build:TREE@v6.12.", rich_help_panel=_PANEL),
    ] = "",
    bad: Annotated[
        str, Option(help="A later one that has it: of the same kind, tree and build options.", rich_help_panel=_PANEL)
    ] = "",
    every: Annotated[
        str, Option(help="Of the archive: every version, or the newest of every series.", rich_help_panel=_PANEL)
    ] = "version",
    steps: Annotated[
        str, Option(help="all: every change in the range. largest: that one alone.", rich_help_panel=_PANEL)
    ] = "all",
    error_rate: Annotated[
        float,
        Option(help="Where time is measured: how often the culprit may be a wrong one.", rich_help_panel=_PANEL),
    ] = 0.01,
    one_step: Annotated[
        bool,
        Option(
            "--step",
            help="For `git bisect run`: measure --head alone; exit 0 good, 1 bad, 125 skip, 128 and more: stop.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    head: Annotated[
        str, Option(help="With --step: the kernel in question; the working tree.", rich_help_panel=_PANEL)
    ] = "build:.",
    replay: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Decide everything in DIR again, from its log alone; measure nothing.",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None,
    options: dict[str, Any] = {},  # noqa: B006  # filled by with_shared_options
) -> int:
    """Which commit or release made WORKLOAD slower?

    With exact counts each candidate is booted once; where time is measured, until the odds are past the asked error
    rate. What does not build or boot is skipped. The same command again goes on where it was.

    Example: kassay bisect mprotect_toggle --good debian:6.12 --bad debian:7.3
    """
    if replay is not None:
        return _replayed(replay)
    if one_step:
        return guarded(lambda: _step(workload, good, bad, head, error_rate, options))
    chosen = format_named(options["format_"])
    _check(workload, kernels or [], good, bad, steps, error_rate, options)
    with showing() as tell:
        searched = _range(kernels or [], good, bad, every, options, tell)
        asked = (good, bad) if searched.kind == "releases" else None
        question = _question(workload, searched, steps, error_rate, options, asked)
        directory = _directory(question, options)
        question = bisecting.resumed(question, directory)
        _announce(question, directory, tell)
        found = bisecting.search(question, directory, tell, prober(pipeline.measure))
        bisecting.conclude(question, directory, found, tell, pipeline.measure)
        report = pipeline.answer(directory, tell)
    deliver(report, chosen, directory)
    return status(report) if options["exit_code"] else 0


def _check(workload: str, kernels: list[str], good: str, bad: str, steps: str, error_rate: float,
           options: dict[str, Any]) -> None:  # fmt: skip
    problems = [] if workload else ["WORKLOAD: missing; `kassay workloads` lists them"]
    if bool(kernels) == bool(good or bad) or bool(good) != bool(bad):
        problems.append("give either --good and --bad, or a list of kernels")
    if steps not in _STEPS:
        problems.append(f"--steps: unknown {steps!r}; known: {', '.join(_STEPS)}")
    if not 0 < error_rate <= 0.2:
        problems.append(f"--error-rate {error_rate:g}: outside 0..0.2; 0.01 means 1 %")
    if options["cmdline_base"] or options["cmdline_head"]:
        problems.append("--cmdline-base, --cmdline-head: a search has no sides; use --cmdline")
    if "," in options["clock"] + options["cpus"] + options["memory"] or any(
        "," in one.partition("=")[2] for one in options["set_"] or []
    ):
        problems.append("a bisection follows one value: one clock, one setting, one machine")
    if problems:
        raise BadInput("\n".join(problems))


def _range(kernels: list[str], good: str, bad: str, every: str, options: dict[str, Any], tell: Tell) -> Range:
    if kernels:
        return listed(kernels)
    return between(good, bad, options["arch"], options["flavour"], every, tell)


def _question(workload: str, searched: Range, steps: str, error_rate: float, options: dict[str, Any],
              asked: tuple[str, str] | None = None) -> Question:  # fmt: skip
    """asked: the ends as the user wrote them, where the same words must find the same search again later."""
    ends = asked or (searched.candidates[0].ref, searched.candidates[-1].ref)
    return Question(
        kind=searched.kind, range=searched.text, candidates=searched.candidates, notes=searched.notes, steps=steps,
        error_rate=error_rate, probe=_probe(workload, ends[0], options),
        compare=experiment_from("compare", workload, ends, options),
    )  # fmt: skip


def _probe(workload: str, ref: str, options: dict[str, Any]) -> Experiment:
    """One boot. Where time is measured a boot that fails is made again as another one, so it is not tried twice."""
    once = experiment_from("value", workload, (ref,), options | {"repeats": 1, "perturb": 0, "no_control": True})
    return once if once.exact else structs.replace(once, retries=0)


def _directory(question: Question, options: dict[str, Any]) -> Path:
    name = f"bisect-{question.probe.workloads[0].name}"
    return directory_for(structs.replace(question.compare, name=name), options["out"], options["fresh"])


def _announce(question: Question, directory: Path, tell: Tell) -> None:
    count = len(question.candidates) - 1
    tell(Progress(stage="bisect", subject=question.range, text=f"{count} candidates; kept in {directory}"))
    for note in question.notes:
        tell(Progress(stage="bisect", subject="range", text=note))


def _replayed(directory: Path) -> int:
    differ = bisecting.replay(directory)
    if differ:
        raise BadInput(f"{directory}: replayed, it does not come to the same\n  " + "\n  ".join(differ))
    say(f"{directory}: {len(searchlog.read(directory))} boots replayed, every decision comes to the same\n")
    return 0


def _step(workload: str, good: str, bad: str, head: str, error_rate: float, options: dict[str, Any]) -> int:
    problems = [] if options["out"] else ["--step: needs --out, where the two ends are kept"]
    if problems or not (good and bad):
        raise BadInput("; ".join(problems) or "--step: needs --good and --bad")
    _check(workload, [], good, bad, "all", error_rate, options)
    ends = _question(workload, listed((good, bad)), "all", error_rate, options)
    with showing() as tell:
        return step(ends, head, options["out"], tell)


COMMAND = Command(name="bisect", order=25, run=_bisect)
