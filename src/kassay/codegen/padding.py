# SPDX-License-Identifier: GPL-2.0-only
"""Bytes that are there for alignment only."""

from kassay.codegen.x86 import last_instruction_end

_ARM64_FILLS = (bytes.fromhex("1f2003d5"), bytes(4))


def without_padding(arch: str, code: bytes) -> bytes:
    """What stands before the next symbol, without the no-ops, traps or zeros at its end.

    Instructions of x86 cannot be read backwards: a fill is taken off only where nothing but fills is left behind.
    """
    if arch == "x86_64":
        return code[: last_instruction_end(code)]
    while code[-4:] in _ARM64_FILLS:
        code = code[:-4]
    return code
