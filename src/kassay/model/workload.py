# SPDX-License-Identifier: GPL-2.0-only
"""Description of a workload by itself (the guest program's --describe), as records."""

from kassay.model.records import Record

GROUPS = (
    "page tables", "folios", "faults", "mappings", "reclaim", "files", "processes", "kernel memory", "NUMA",
    "instrument",
)  # fmt: skip
"""Groups of kassay's own workloads, in the order in which they are listed."""


class Parameter(Record, frozen=True, kw_only=True):
    """One parameter of a workload.

    kind: "size" (bytes, written 64MiB), "count" (a whole number) or "choice" (one of
    choices). minimum and maximum are inclusive and in `unit`; None for choices.
    """

    name: str
    kind: str
    unit: str
    default: str
    summary: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()


class Phase(Record, frozen=True, kw_only=True):
    """One measured interval of a round; its metric is cost per `operation`.

    definition: a sentence that says from where to where and divided by what. primary:
    the verdict of the experiment is about this phase.
    """

    name: str
    operation: str
    definition: str
    primary: bool = False


class Workload(Record, frozen=True, kw_only=True):
    """A workload: one static C program, its parameters, its phases, and the state it requires.

    state: the required state in words; the program ships the exact requirements of its
    settings with every run. subject: what is done, as the start of a verdict sentence
    ("Toggling write permission on a {share} anonymous mapping of {pages} pages").
    group: one of GROUPS, or a word of its author's. alters: what it changes of the whole machine while it runs, and
    undoes; "" for nothing. modules: kernel modules that it needs whatever its settings are.
    nodes: of memory that its machine must have.
    """

    describe: str
    name: str
    summary: str
    subject: str
    state: str
    parameters: tuple[Parameter, ...]
    phases: tuple[Phase, ...]
    group: str = "others"
    alters: str = ""
    modules: tuple[str, ...] = ()
    nodes: int = 1
