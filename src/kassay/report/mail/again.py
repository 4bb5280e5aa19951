# SPDX-License-Identifier: GPL-2.0-only
"""How a reader repeats what a mail reports, in at most three commands."""

import shlex

from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.report import Report
from kassay.report.mail.headline import headline
from kassay.report.mail.plain import command, wrapped
from kassay.report.repeat import step_alone

_OUT = "again"
_FROM = (
    "kassay is run from its own source tree; its README says how. `kassay bundle pack` puts all that is behind these "
    "figures into one file, with the workload as one C file that needs no kassay (reproducer.c)."
)


def again(report: Report) -> list[str]:
    """For own runs the comparison of the headline; for others' files what reads and judges them again."""
    if report.sources:
        return _commands("To judge the same files again:", report.commands, "") if report.commands else []
    commands = _own(report)
    return _commands("To reproduce:", commands, _FROM) if commands else []


def _commands(title: str, commands: tuple[str, ...], about: str) -> list[str]:
    lines = [line for text in commands[:3] for line in command(text)]
    return [title, "", *lines, *(["", *wrapped(about)] if about else [])]


def _own(report: Report) -> tuple[str, ...]:
    found = headline(report)
    if found is None or not report.kernels:
        return ()
    f, known = found.finding, labels(report.experiment)
    pair = (known.index(f.sides[0].kernel), known.index(f.sides[1].kernel))
    alone = step_alone(report.experiment, report.kernels, pair, f.workload, f.settings, f.machine)
    if report.lead is not None and report.lead.repeat:
        alone = _asked(report.lead.repeat, alone)
    return (f"{_as_it_was(report, alone)} --out {_OUT}", f"kassay bundle pack {_OUT}")


def _asked(repeat: tuple[str, ...], alone: str) -> str:
    """The command that asks the whole question: what it made may be known to the store it was made in only."""
    words = shlex.split(alone)
    words[1], words[3:5] = repeat[0], repeat[1:]
    return shlex.join(words)


def _as_it_was(report: Report, alone: str) -> str:
    """With the experiment's own numbers of boots, and with both clocks where two were read."""
    e, words = report.experiment, shlex.split(alone)
    timed = next((one.clock for one in report.beside if not clock_of(one.clock).native), "")
    for name in ("--perturb", *(("--clock", "--margin") if timed else ())):
        if name in words:
            del words[words.index(name) : words.index(name) + 2]
    words += ["--clock", f"{e.machine or e.clock},{timed}"] if timed else []
    # With two clocks --repeats is about the boots that are timed.
    words += ["--repeats", str(e.repeats)] if not e.exact or not timed else []
    words += ["--perturb", str(e.perturb)] if e.exact else []
    return shlex.join(words)
