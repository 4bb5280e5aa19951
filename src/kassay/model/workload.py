# SPDX-License-Identifier: GPL-2.0-only
"""Description of a workload by itself (the guest program's --describe), as records."""

from kassay.model.records import Record

GROUPS = (
    "page tables", "folios", "faults", "mappings", "reclaim", "files", "processes", "kernel memory", "NUMA",
    "instrument",
)  # fmt: skip
"""Groups of kassay's own workloads, in the order in which they are listed."""


class Parameter(Record, frozen=True, kw_only=True):
    """One parameter of a workload."""

    name: str
    kind: str
    """ "size" (bytes, written 64MiB), "count" (a whole number) or "choice" (one of choices)."""
    unit: str
    default: str
    summary: str
    minimum: int | None = None
    """Inclusive, in `unit`; None for choices."""
    maximum: int | None = None
    """Inclusive, in `unit`; None for choices."""
    choices: tuple[str, ...] = ()


class Phase(Record, frozen=True, kw_only=True):
    """One measured interval of a round. Its metric is cost per `operation`."""

    name: str
    operation: str
    definition: str
    """Sentence that tells the begin and the end of the interval, and the number by which it is divided."""
    primary: bool = False
    """True if the verdict of the experiment is about this phase."""


class Workload(Record, frozen=True, kw_only=True):
    """A workload: one static C program, its parameters, its phases, and the state it requires."""

    describe: str
    name: str
    summary: str
    subject: str
    """Work that is done, as the start of a verdict sentence ("Toggling write permission on a {share} anonymous
    mapping of {pages} pages")."""
    state: str
    """Required state in words. The program ships the exact requirements of its settings with every run."""
    parameters: tuple[Parameter, ...]
    phases: tuple[Phase, ...]
    group: str = "others"
    """One of GROUPS, or a word of its author's."""
    alters: str = ""
    """Settings of the whole machine that it changes while it runs, and undoes; "" for none."""
    modules: tuple[str, ...] = ()
    """Kernel modules that it needs with any settings."""
    nodes: int = 1
    """Nodes of memory that its machine must have."""
