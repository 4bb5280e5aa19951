# SPDX-License-Identifier: GPL-2.0-only
"""Bytes that are there for alignment only."""

_X86_NOPS = tuple(
    bytes.fromhex(text)
    for text in (
        "66660f1f840000000000", "662e0f1f840000000000", "660f1f840000000000", "0f1f840000000000", "0f1f8000000000",
        "660f1f440000", "0f1f440000", "0f1f4000", "0f1f00", "6690", "90", "cc", "00",
    )
)  # fmt: skip
_ARM64_FILLS = (bytes.fromhex("1f2003d5"), bytes(4))


def without_padding(arch: str, code: bytes) -> bytes:
    """What stands before the next symbol, without the no-ops, traps or zeros at its end.

    Instructions of x86 cannot be read backwards: a fill is taken off only where nothing but fills is left behind.
    """
    if arch != "x86_64":
        while code[-4:] in _ARM64_FILLS and code:
            code = code[:-4]
        return code
    from kassay.codegen.x86 import last_instruction_end

    return code[: last_instruction_end(code)]
