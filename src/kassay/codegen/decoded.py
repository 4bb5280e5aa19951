# SPDX-License-Identifier: GPL-2.0-only
"""What a decoder of an architecture gives for one instruction."""

from typing import NamedTuple

from kassay.codegen.code import Reference

NOOP, TRAP, TRACER, CALL, BRANCH, PLAIN = "noop", "trap", "tracer", "call", "branch", "plain"
HOLE = "\0"
"""Stands in `text` for each of `references`, in order."""


class Decoded(NamedTuple):
    """text: mnemonic and operands. kind: call and branch are those whose target is known. references: of fields that
    hold addresses. zeroed: the bytes with these fields zeroed."""

    offset: int
    size: int
    text: str
    kind: str
    references: tuple[Reference, ...]
    zeroed: bytes
