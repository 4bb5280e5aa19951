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
    """One instruction, normalised. text: mnemonic and operands, with names instead of addresses ("callq folio_put",
    "jne .L7"). label: ".L7" when something refers to it. part: the symbol it belongs to; offset: bytes from there, as
    compiled. count: how often it was executed per operation; None without a profile."""

    part: str
    offset: int
    size: int
    text: str
    label: str = ""
    count: float | None = None


class Part(Record, frozen=True, kw_only=True):
    """A symbol that belongs to the function. size: bytes as the symbol says; of an image, to its last instruction."""

    name: str
    size: int


class Call(Record, frozen=True, kw_only=True):
    """A function that was not inlined. callee: "(indirect)" for a call through a pointer. sites: how many calls and
    tail jumps lead to it."""

    callee: str
    sites: int


class Body(Record, frozen=True, kw_only=True):
    """A function as compiled in one place.

    reference: as the user wrote it. cc: the compiler asked for, "" for images. compiler: first line of its --version,
    or what the image's banner says. size: of the function's own symbol, as nm prints it; total: with its parts.
    sha256: of the normalised instructions of all parts. bytes_sha256: of the raw bytes with fields that hold addresses
    zeroed. own_class ("class" in JSON): equal letters are equal code. same_bytes: whether its bytes are those of the
    first of its class; None for that first one. executed: instructions executed in it per operation; value: those of
    the whole workload. counted_in: the kernel whose profile this is. note: what must be known to read this row.
    """

    reference: str
    outcome: str
    compiler: str | None
    arch: str
    cc: str = ""
    detail: str = ""
    size: int | None = None
    total: int | None = None
    parts: tuple[Part, ...] = ()
    sha256: str | None = None
    bytes_sha256: str | None = None
    own_class: str = msgspec.field(default="", name="class")
    same_bytes: bool | None = None
    calls: tuple[Call, ...] = ()
    instruction_count: int | None = None
    executed: float | None = None
    value: float | None = None
    counted_in: str = ""
    note: str = ""
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
    """All bodies in the order asked for ("references" in JSON). source: the file, "" for images. verdict: what
    follows, in words. workload, metric, unit: of what was executed, "" when nothing was counted. disclosures: what
    normalisation takes away and how executions were counted."""

    function: str
    source: str
    verdict: str
    bodies: tuple[Body, ...] = msgspec.field(name="references")
    disclosures: tuple[str, ...]
    workload: str = ""
    metric: str = ""
    unit: str = ""
    schema: str = SCHEMA
    changed: tuple[SourcesChanged, ...] = ()
    """One entry for each pair of measured kernels that were built from different sources."""
    elsewhere: tuple[Reached, ...] = ()
    """Workloads that execute the function, if the measured one does not."""
