# SPDX-License-Identifier: GPL-2.0-only
"""Git histories for tests, questions about them, and a double that measures their commits without building any."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from kassay.model.bisect import SearchQuestion
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.progress import Tell, silent
from kassay.tools.search.candidates import Range, between
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe

Cost = Callable[[str], "float | str"]


def git(tree: Path, *words: str) -> str:
    identity = ("-c", "user.name=A Developer", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", *identity, "-C", str(tree), *words), capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(tree: Path, subject: str, name: str = "") -> str:
    """A commit that adds a line to a file; its sha1."""
    with (tree / (name or "log")).open("a") as file:
        file.write(f"{subject}\n")
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "-m", subject)
    return git(tree, "rev-parse", "HEAD")


def line_of(tree: Path, count: int) -> list[str]:
    """A repository with one line of commits: "commit 0" to "commit `count`"; each adds a line to the file "log"."""
    tree.mkdir(parents=True, exist_ok=True)
    git(tree, "init", "--quiet", "--initial-branch=main")
    text, told = "", ""
    for number in range(count + 1):
        text += f"commit {number}\n"
        who = f"A Developer <a@example.org> {1_700_000_000 + number} +0000"
        told += f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata <<.\ncommit {number}\n.\n"
        told += f"M 644 inline log\ndata {len(text)}\n{text}\n"
    subprocess.run(("git", "-C", str(tree), "fast-import", "--quiet"), input=told, text=True, check=True)
    git(tree, "reset", "--quiet", "--hard")
    return git(tree, "rev-list", "--reverse", "main").split()


def commits(tree: Path, good: str, bad: str) -> Range:
    return between(f"build:{tree}@{good}", f"build:{tree}@{bad}", "x86_64", "cloud", "version", silent)


def question(found: Range, clock: str = "icount") -> SearchQuestion:
    ends = (KernelUse(ref=found.candidates[0].ref), KernelUse(ref=found.candidates[-1].ref))
    use = (WorkloadUse(name="mprotect_toggle"),)
    timed = clock != "icount"
    probe = Experiment(
        name="p", question="value", kernels=ends[:1], workloads=use, clock=clock, repeats=1, perturb=0,
        control=False, retries=0 if timed else 1,
    )  # fmt: skip
    compare = Experiment(name="c", question="compare", kernels=ends, workloads=use, clock=clock)
    return SearchQuestion(
        kind=found.kind, range=found.text, candidates=found.candidates, probe=probe, compare=compare, notes=found.notes
    )


class Measured:
    """In place of a boot: what `cost` says of a candidate's name; a word of bisect.OUTCOMES for one without a value."""

    def __init__(self, cost: Cost) -> None:
        self._cost, self.names = cost, list[str]()

    def __call__(self, question: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
        name = question.candidates[ask.candidate].name
        self.names.append(name)
        value = self._cost(name)
        if isinstance(value, str):
            return BootProbe(outcome=value, detail="as planted")
        return BootProbe(outcome="value", value=value, metric="iteration", unit="instructions/page")
