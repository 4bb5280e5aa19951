# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables -> the addresses that the plugin must know while the guest runs (plugin/points.h)."""

from collections.abc import Iterator, Sequence

_TABLES = ("irq_entries_start", "spurious_entries_start")
_SWITCHES = ("__switch_to_asm", "cpu_switch_to")
_THUNKS = "__x86_indirect_thunk_"


def points(tables: Sequence[bytes], *, functions: bool) -> str:
    """Lines "KIND START END", of functions (when asked for) sorted. tables: of the kernel and the program (tables.py).

    x86 enters exceptions at asm_exc_*, interrupts at asm_sysvec_* and in the tables of entry stubs
    (arch/x86/include/asm/idtentry.h); an NMI is an interrupt. arm64 enters all at its vectors.
    """
    lines = sorted(line for table in tables for line in _lines(table))
    special = [line for start, end, name in lines for line in _special(start, end, name)]
    all_functions = [f"function {start:x} {end:x}\n" for start, end, _ in lines if functions]
    return "".join((*special, *all_functions))


def _lines(table: bytes) -> Iterator[tuple[int, int, str]]:
    words = table.decode().partition("\n")[2].split()
    for start, size, lead, name in zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True):
        yield int(start, 16) + int(lead, 16), int(start, 16) + int(size, 16), name


def _special(address: int, end: int, name: str) -> Iterator[str]:
    if name == "asm_exc_nmi" or name.startswith("asm_sysvec_"):
        yield f"interrupt {address:x} {address + 1:x}\n"
    elif name.startswith("asm_exc_"):
        yield f"fault {address:x} {address + 1:x}\n"
    elif name in _TABLES:
        yield f"interrupt {address:x} {end:x}\n"
    elif name.startswith(_THUNKS):
        yield f"thunk {address:x} {end:x}\n"
    elif name in _SWITCHES:
        yield f"switch {address:x} {end:x}\n"
    elif name == "vectors":  # Arm DDI 0487, D1.4: 16 entries of 0x80 bytes, every fourth for synchronous exceptions
        for entry in range(16):
            at = address + 0x80 * entry
            yield f"{'interrupt' if entry % 4 else 'fault'} {at:x} {at + 1:x}\n"
