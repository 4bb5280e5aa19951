# SPDX-License-Identifier: GPL-2.0-only
"""How to repeat a report: on a page the exact commands and the experiment, in a mail commands for the headline."""

from collections.abc import Iterator
from shlex import join

from kassay.clocks import clock_of
from kassay.model.experiment import labels
from kassay.model.finding import Finding
from kassay.model.report import Report
from kassay.model.texts import one_line, verbatim
from kassay.report.document import LETTER, PAGE, Code, Paragraph, Section, section
from kassay.report.mail.headline import headline
from kassay.report.repeat import compare_command, kernel_argument

_OUT = "again"
_FROM = (
    "kassay is run from its own source tree; its README says how. `kassay bundle pack` puts all that is behind these "
    "figures into one file, with the workload as one C file that needs no kassay (reproducer.c)."
)


def repeat(report: Report) -> Iterator[Section]:
    """The commands, and on a page the experiment's file."""
    commands = "\n".join(map(one_line, report.commands))
    code = [Code(caption="The exact commands", text=commands)] if report.commands else []
    if report.spec_toml:
        caption = f"The experiment, {one_line(report.experiment.name)}.toml"
        code.append(Code(caption=caption, text=verbatim(report.spec_toml)))
    origin = f"Made by kassay {one_line(report.kassay_version)} from plan {one_line(report.plan_id)}."
    yield section("Repeat it", text=(origin,), code=code, readers=(PAGE,))
    yield from _letter(report)


def _letter(report: Report) -> Iterator[Section]:
    """For own runs the comparison of the headline; for others' files what reads and judges them again."""
    topic = headline(report)
    commands = report.commands
    if not report.sources:
        commands = ()
        if topic is not None and report.kernels:
            commands = (f"{_as_it_was(report, topic.finding)} --out {_OUT}", f"kassay bundle pack {_OUT}")
    title, about = ("To judge the same files again", ()) if report.sources else ("To reproduce", (_FROM,))
    if commands:
        code = Code(text="\n".join(map(one_line, commands[:3])), breaks="shell")
        below = (Paragraph(text=text) for text in about)
        yield Section(title=title, blocks=(code, *below), readers=(LETTER,))


def _as_it_was(report: Report, f: Finding) -> str:
    """A finding's comparison with the experiment's own numbers of boots, and with both clocks where two were read.

    Where the question has a command of its own, this command asks the whole question again: the kernels that it built
    may be in this host's store only.
    """
    e, kernel_labels = report.experiment, labels(report.experiment)
    pair = (kernel_labels.index(f.sides[0].kernel), kernel_labels.index(f.sides[1].kernel))
    timed = next((row.clock for row in report.beside if not clock_of(row.clock).native), "")
    words = compare_command(e, report.kernels, pair, f.point, ("--clock", "--margin") if timed else ())
    if report.lead is not None and report.lead.repeat:
        at = words.index(kernel_argument(e, report.kernels, pair[0]))
        words[1], words[at : at + 2] = report.lead.repeat[0], report.lead.repeat[1:]
    words += ["--clock", f"{e.machine or e.clock},{timed}"] if timed else []
    # With two clocks --repeats is about the boots that are timed.
    words += ["--repeats", str(e.repeats)] if not e.exact or not timed else []
    words += ["--perturb", str(e.perturb)] if e.exact else []
    return join(words)
