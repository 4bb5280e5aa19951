# SPDX-License-Identifier: GPL-2.0-only
"""One function's machine code in several kernels or under several compilers, sorted into classes of the same code."""

from kassay.model.records import Record

SCHEMA = "kassay-codegen/1"
OUTCOMES = {
    "compiled": "the function is there",
    "inlined": "the compiler made no function of its own of it: it is inlined everywhere, or not compiled in",
    "absent": "the source has no such function",
    "not-built": "the sources do not build with this compiler",
}


class Instruction(Record, frozen=True, kw_only=True):
    """One instruction, normalised. text: mnemonic and operands, with names instead of addresses ("call folio_put",
    "jne .L7"). label: ".L7" when something jumps here. offset: from the function's start, as compiled. count: how often
    it was executed per operation; None without a profile. block: executions are known for it."""

    offset: int
    size: int
    text: str
    label: str = ""
    count: float | None = None


class Body(Record, frozen=True, kw_only=True):
    """A function as compiled in one place.

    reference: kernel reference, or "REF cc" of an object; compiler: first line of its --version, or the image's banner.
    size: bytes as the symbol says, alignment padding behind the last instruction left out; parts: symbols that belong
    to it (the function itself, its .cold and .part copies). sha256: of the normalised instructions of all parts.
    bytes_sha256: of the raw bytes with relocated fields zeroed; None where the image has no relocations to tell them.
    calls: (callee, number of call sites), most first. executed: instructions executed in it per operation, by
    the profile; own_class: its class letter.
    """

    reference: str
    outcome: str
    compiler: str | None
    arch: str
    detail: str = ""
    size: int | None = None
    parts: tuple[str, ...] = ()
    sha256: str | None = None
    bytes_sha256: str | None = None
    own_class: str = ""
    calls: tuple[tuple[str, int], ...] = ()
    instructions: tuple[Instruction, ...] = ()
    executed: float | None = None
    unit: str = ""
    kernel: str = ""
    image_sha256: str | None = None
    value: float | None = None


class CodegenReport(Record, frozen=True, kw_only=True):
    """All bodies in the order asked for. source: the file, "" for images. verdict: what follows, in words. disclosures:
    what normalisation takes away, how executions were counted, what is not shown."""

    function: str
    source: str
    bodies: tuple[Body, ...]
    verdict: str
    disclosures: tuple[str, ...]
    workload: str = ""
    schema: str = SCHEMA
