# SPDX-License-Identifier: GPL-2.0-only
"""One function's machine code in several kernels or under several compilers, sorted into classes of the same code."""

import msgspec

from kassay.model.lines import ChangedLines, Reached
from kassay.model.records import Record

SCHEMA = "kassay-codegen/1"
OUTCOMES = {
    "compiled": "the function is there",
    "inlined": "the compiler made no function of its own of it: it is inlined everywhere, or not compiled in",
    "absent": "the source has no such function",
    "ambiguous": "several functions have this name",
    "not-built": "the sources do not build with this compiler",
}


class Instruction(Record, frozen=True, kw_only=True, omit_defaults=True):
    """One instruction, normalised."""

    part: str
    """Symbol that it belongs to."""
    offset: int
    """Bytes from the begin of the symbol, as compiled."""
    size: int
    text: str
    """Mnemonic and operands, with names instead of addresses: "callq folio_put", "jne .L7"."""
    label: str = ""
    """Label such as ".L7" if another instruction refers to it."""
    count: float | None = None
    """Executions per operation; None without a profile."""


class Part(Record, frozen=True, kw_only=True):
    """A symbol that belongs to the function."""

    name: str
    size: int
    """Bytes of the symbol. In an image, bytes up to its last instruction."""


class Call(Record, frozen=True, kw_only=True):
    """A function that was not inlined."""

    callee: str
    """ "(indirect)" for a call through a pointer."""
    sites: int
    """Number of calls and tail jumps that lead to it."""


LINKED_IS_OTHER = "in the linked kernel the function is another one than in the object; executed is the linked one's"
"""Note of a body whose executions are those of another function."""


class Body(Record, frozen=True, kw_only=True):
    """A function as compiled in one place."""

    reference: str
    """Reference as the user wrote it."""
    outcome: str
    compiler: str | None
    """First line of the compiler's --version, or the text in the image's banner."""
    arch: str
    cc: str = ""
    """Compiler that was asked for; "" for images."""
    detail: str = ""
    size: int | None = None
    """Bytes of the function's own symbol, as nm prints it."""
    total: int | None = None
    """Bytes of the function with its parts."""
    parts: tuple[Part, ...] = ()
    sha256: str | None = None
    """Hash of the normalised instructions of all parts."""
    bytes_sha256: str | None = None
    """Hash of the raw bytes, with zeros in the fields that hold addresses."""
    own_class: str = msgspec.field(default="", name="class")
    """Letter; equal letters are equal code."""
    same_bytes: bool | None = None
    """True if its bytes are those of the first of its class; None for that first one."""
    calls: tuple[Call, ...] = ()
    instruction_count: int | None = None
    executed: float | None = None
    """Instructions executed in it, per operation."""
    value: float | None = None
    """Instructions of the whole workload, per operation."""
    counted_in: str = ""
    """Kernel of the profile that gave the counts."""
    note: str = ""
    """Remark that is needed to read this row."""
    refused: str = ""
    """Verdict and reason, if the runs may not compare this kernel with the others; "" if they may."""
    image_sha256: str | None = None
    instructions: tuple[Instruction, ...] = ()


class SourcesChanged(Record, frozen=True, kw_only=True):
    """Lines that differ between the sources of two measured kernels, each with whether the workload executed it."""

    base: str
    """Label of the kernel in the runs."""
    head: str
    """Label of the kernel in the runs."""
    changed: ChangedLines
    """Every hunk with its state."""


class CodegenReport(Record, frozen=True, kw_only=True):
    """All bodies of one function."""

    function: str
    source: str
    """The source file; "" for images."""
    verdict: str
    """Conclusion in words."""
    bodies: tuple[Body, ...] = msgspec.field(name="references")
    """Bodies in the order asked for."""
    disclosures: tuple[str, ...]
    """Parts of the code that normalisation removes, and the way in which executions were counted."""
    workload: str = ""
    """Workload that was executed; "" if nothing was counted."""
    metric: str = ""
    """Metric of the counts; "" if nothing was counted."""
    unit: str = ""
    """Unit of the counts; "" if nothing was counted."""
    schema: str = SCHEMA
    changed: tuple[SourcesChanged, ...] = ()
    """One entry for each pair of measured kernels that were built from different sources."""
    elsewhere: tuple[Reached, ...] = ()
    """Workloads that execute the function, if the measured one does not."""
