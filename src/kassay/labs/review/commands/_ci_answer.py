# SPDX-License-Identifier: GPL-2.0-only
"""`kassay ci`: measure both ends of a range, and hand the answer to people and to the runner."""

import shlex
from pathlib import Path

from kassay.commands._experiment import content_directory, unused_directory
from kassay.commands._inputs import check_directory, check_given
from kassay.commands._show import say, say_answer, showing
from kassay.effects import runner
from kassay.effects.files import append_durable, write_atomic
from kassay.effects.lock import check_host, locked, refusing
from kassay.errors import BadInput, HostLacks, nearest_of
from kassay.labs.review.commands._ci_options import LIMITS, Gating
from kassay.labs.review.commands._options import given_words, seconds
from kassay.labs.review.gate import GateWanted, exit_status, gate
from kassay.labs.review.gate_model import Gate
from kassay.labs.review.given import Range, range_in, short, uncommitted
from kassay.labs.review.limits import Limits, limits_in, of_range, parse, percent
from kassay.labs.review.report import GATE
from kassay.model.build import BuildRef, build_text
from kassay.spec.load import suite_workloads
from kassay.supply.arches import arch_of
from kassay.supply.building import git

_FILES = {"summary": "summary.md", "junit": "kassay.xml", "metrics": "metrics.txt"}


def answer(range_: str, options: Gating) -> int:
    """Prints the answer and keeps it beside its runs; returns the exit status. Raises BadInput, NotBuilt."""
    form = GATE.form(options.format_)
    budget_s = seconds(options.budget)
    fail_over = percent(options.fail_over, "--fail-over")
    arch_of(options.arch)
    names = {use.name for use in suite_workloads(options.suite)}
    for name in options.allow_refused or ():
        if name not in names:
            raise BadInput(f"--allow-refused {name}: not in suite {options.suite}", nearest_of(name, sorted(names)))
    check_directory(options.out)
    check_given(options.limits, "--limits")
    check_host()
    commits = range_in(range_, options.tree)
    limits = _limits(options, commits)
    refs = [build_text(BuildRef(tree=str(commits.tree), revision=end)) for end in (commits.left, commits.head)]
    more = f",{options.build}" if options.build else ""
    wanted = GateWanted(
        base=refs[0] + more, head=refs[1] + more, arch=options.arch, suite=options.suite
    )  # fmt: skip
    base = options.out or content_directory(f"ci-{short(commits.head)}", wanted)
    directory = unused_directory(base) if options.fresh else base
    with showing() as tell, locked(directory / "lock", refusing(str(directory))):
        found = gate(
            wanted, directory, names=commits.names, fail_over=fail_over, limits=limits, budget_s=budget_s,
            command=_command(commits, options), allowed=options.allow_refused or (),
            tell=tell, keep=lambda one: _keep(one, directory),
        )  # fmt: skip
    say_answer(found, form)
    _to_runner(found, options.format_)
    if form.screen is not None:
        say(f"report: {directory}/ci.html\n")
    if left_out := uncommitted(commits):
        say(f"ci: {left_out}\n", error=True)
    return exit_status(found, tuple(options.allow_refused or ()))


def _keep(found: Gate, directory: Path) -> None:
    """Writes the answer for people, and the files that a runner takes."""
    for form in GATE.forms():
        name = _FILES.get(form.name, "" if form.name == "annotations" else f"ci{form.suffix}")
        if name:
            write_atomic(directory / name, form.render(found).encode())


def _limits(options: Gating, commits: Range) -> Limits:
    """The limits of --limits, else of the file that the head itself has, with what the range changes in it."""
    if options.limits is not None:
        return Limits(limits_in(options.limits))
    texts = [git.read(git.tree_of(commits.tree, commit), LIMITS) for commit in (commits.left, commits.head)]
    head = () if texts[1] is None else parse(texts[1], f"{commits.names[1]}:{LIMITS}")
    try:
        base = () if texts[0] is None else parse(texts[0], f"{commits.names[0]}:{LIMITS}")
    except BadInput:  # it judges nothing any more
        base = ()
    return of_range(base, head)


def _to_runner(found: Gate, shown: str) -> None:
    """A GitHub runner's summary and annotations; neither needs a token. A summary that cannot be written is said on
    stderr, as the exit status is the answer."""
    if path := runner.summary_file():
        try:
            append_durable(path, GATE.form("summary").render(found).encode())
        except (HostLacks, OSError) as error:
            what = error.what if isinstance(error, HostLacks) else f"{path}: {error.strerror}"
            say(f"ci: GITHUB_STEP_SUMMARY: {what}\n", error=True)
    if runner.takes_annotations() and shown != "annotations":
        say(GATE.form("annotations").render(found))


def _command(commits: Range, options: Gating) -> str:
    """The command for the same question. It names commits: branches move."""
    names = ("tree", "suite", "fail_over", "limits", "budget", "build", "arch", "allow_refused")
    return shlex.join(["kassay", "ci", commits.pinned, *given_words(options, names)])
