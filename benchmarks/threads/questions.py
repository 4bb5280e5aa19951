# SPDX-License-Identifier: GPL-2.0-only
"""The files of questions: their form, and how they are read."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Literal

import msgspec

HERE = Path(__file__).parent
RUNS = Path("kassay-out/threads")
"""Directory of all runs, below the directory in which the command was given."""

Verdict = Literal["confirms", "corrects", "goes beyond", "not answered"]

_READS = ("codegen", "history", "notice", "predict", "profile", "report")
"""Commands that print their answer, and have no directory of runs."""


class Run(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One command."""

    name: str
    command: str
    """kassay's arguments. {NAME} stands for the directory of another run of the thread."""
    seconds: int
    """Wall seconds on two idle cores, with kernels cached."""
    test: bool = False
    """True for the run that a test with boots repeats."""

    @property
    def only_reads(self) -> bool:
        return self.command.split()[0] in _READS and not self.only_writes

    @property
    def only_writes(self) -> bool:
        """True if it writes files for another tool or run, which have no figures of their own."""
        return "--format framework" in self.command or self.command.startswith("pcp record")

    @property
    def prints(self) -> bool:
        """True if the command itself prints the answer; false if `kassay report` does."""
        return self.only_reads or self.command.split()[0] == "pcp"

    def words(self, directory: Path, places: dict[str, str]) -> list[str]:
        """Arguments of kassay. directory: of this run."""
        words = shlex.split(self.command.format_map(places))
        return words if self.only_reads else [*words, "--out", str(directory)]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of figures: `cell` with each row and each column put in, or `lines` as they stand."""

    head: list[str]
    """Names of the columns; the first one is that of the row."""
    rows: list[list[str]] = []
    """For `cell`: name of the row, and what is put in for {row}, {row2} and so on. A name with | is several columns."""
    columns: list[str] = []
    """For `cell`: what is put in for {column}, in the order of `head`. It may have {row} in it."""
    cell: str = ""
    more: list[str] = []
    """Further figures of each cell, written as `cell`."""
    form: str = ",.1f"
    """Form of a figure; with `more` the form of a cell, such as "{0:.0f} {1}"."""
    changes: list[list[int]] = []
    """Columns that follow: each is the change from one of `columns` to another, both by number from 0."""
    lines: list[list[str]] = []


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question of the thread and its answer."""

    who: str
    asked: str
    verdict: Verdict
    answer: str
    """Sentences with the names of figures in braces, the first one for the index; an empty line ends a paragraph."""
    figures: dict[str, str] = {}
    """Name to `run: path`, or to `= arithmetic` with earlier names."""
    holds: str = "1"
    """Arithmetic that must not be zero, or the verdict no longer stands."""
    unit: str = ""
    runs: list[str] = []
    """Runs behind the answer that no figure names."""
    top: bool = False
    """True for an answer that stands at the top of the index."""
    table: Table | None = None
    read: str = ""
    """Page in docs/results that has more, and what it has: `page.md#anchor words`."""


class Thread(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thread: its subject, its runs, its questions."""

    name: str
    subject: str
    people: str
    dates: str
    mail: str
    """kassay's arguments that write the draft of a mail, without --format mail."""
    run: list[Run]
    question: list[Question]

    def directory(self, run: str) -> Path:
        return RUNS / f"{self.name}-{run}"

    @property
    def places(self) -> dict[str, str]:
        return {run.name: str(self.directory(run.name)) for run in self.run}

    def shown(self, run: Run) -> str:
        """The command as a user types it."""
        return "kassay " + shlex.join(run.words(self.directory(run.name), self.places))


def load(name: str, directory: Path = HERE) -> Thread:
    """Read one thread. An error names the field and what is wrong."""
    text = (directory / f"{name}.toml").read_text()
    thread = msgspec.convert(tomllib.loads(text), Thread)
    known = {run.name for run in thread.run}
    for question in thread.question:
        for run in runs_of(question):
            if run not in known:
                raise ValueError(f"{name}.toml: {question.asked}: no run is called {run}")
    return thread


def names() -> list[str]:
    """Threads in the order of the index."""
    return ["mprotect", "mincore", "small-folios", "pageout", "pcp"]


def selectors(question: Question) -> list[str]:
    """List every `run: path` whose figure is to be kept."""
    found = [text for text in question.figures.values() if not text.startswith("=")]
    table = question.table
    if table is not None and table.cell:
        found += [path for row in table.rows for column in table.columns for path in cell(table, row, column)]
    return found


def cell(table: Table, row: list[str], column: str) -> list[str]:
    """List the figures of one cell."""
    names = {"{row}" if number == 1 else f"{{row{number}}}": text for number, text in enumerate(row) if number}
    found = [path.replace("{column}", column) for path in (table.cell, *table.more)]
    for name, text in names.items():
        found = [path.replace(name, text) for path in found]
    return found


def runs_of(question: Question) -> list[str]:
    """Runs behind an answer, each once."""
    named = [match[1] for text in selectors(question) if (match := re.match(r"([\w-]+): ", text))]
    return list(dict.fromkeys([*named, *question.runs]))
