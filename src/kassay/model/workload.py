# SPDX-License-Identifier: GPL-2.0-only
"""Description of a workload by itself (the guest program's --describe), as records."""

from collections.abc import Collection, Mapping

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


class Conflict(Record, frozen=True, kw_only=True):
    """Settings that a workload cannot be measured with together."""

    terms: tuple[str, ...]
    """NAME=VALUE or NAME!=VALUE for a choice, --OPTION for a setting of the machine's state. All of them hold."""
    why: str

    def asked(self, settings: Mapping[str, str], options: Collection[str]) -> tuple[str, ...]:
        """The settings and options in which it is, as a user writes them; none unless all terms hold."""
        words = tuple(_asked(term, settings, options) for term in self.terms)
        return words if all(words) else ()


def _asked(term: str, settings: Mapping[str, str], options: Collection[str]) -> str:
    """The setting or option for which a term holds; "" if it does not hold."""
    if term.startswith("--"):
        return term if term in options else ""
    name, _, value = term.partition("=")
    differs, name = name.endswith("!"), name.removesuffix("!")
    return f"{name}={settings[name]}" if (settings[name] == value) is not differs else ""


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
    conflicts: tuple[Conflict, ...] = ()

    def conflict(self, settings: Mapping[str, str], options: Collection[str]) -> str:
        """Sentence that says why it cannot be measured with these settings; "" if it can.

        settings: all of its parameters. options: those of the machine's state that were given, such as --memcg.
        """
        for conflict in self.conflicts:
            if words := conflict.asked(settings, options):
                return f"workload {self.name} cannot be measured with {' and '.join(words)}: {conflict.why}"
        return ""
