# SPDX-License-Identifier: GPL-2.0-only
"""Instructions of a block are classified, and the target of its last one is found, on both architectures."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kassay.evidence.profile.place import decode

X86 = {
    "lock incl (%rdi)": "atomics",
    "lock cmpxchgq %rcx,(%rdx)": "atomics",
    "lock xaddl %eax,8(%rbx)": "atomics",
    "xchgq %rax,(%rdi)": "atomics",
    "xchgb %al,(%rdi)": "atomics",
    "xacquire lock xchgl %eax,(%rdi)": "atomics",
    "xchgq %rax,%rbx": "",
    "xchg %ax,%ax": "",
    "cmpxchgq %rcx,(%rdx)": "",
    "mfence": "",
    "invlpg (%rax)": "tlb",
    "invpcid (%rax),%rdx": "tlb",
    "mov %rax,%cr3": "tlb",
    ".byte 0x0f,0x01,0xfe": "tlb",
    ".byte 0x0f,0x01,0xff": "tlb",
    "mov %rax,%cr4": "",
    "mov %cr3,%rax": "",
    "rep movsb": "strings",
    "rep stosq": "strings",
    "repne scasb": "strings",
    "movsb": "",
    "lfence": "",
    "endbr64": "",
    ".byte 0x06": "",
}
ARM = {
    0xB8E00001: "atomics",  # ldaddal w0, w1, [x0]
    0xF820005F: "atomics",  # stadd x0, [x2]
    0xF8208001: "atomics",  # swp x0, x1, [x0]
    0xC8E07C01: "atomics",  # casa x0, x1, [x0]
    0x48207C20: "atomics",  # casp x0, x1, x0, x1, [x1]
    0xC8007C41: "atomics",  # stxr w0, x1, [x2]
    0xC800FC41: "atomics",  # stlxr w0, x1, [x2]
    0x88207C42: "atomics",  # stxp w0, w2, wzr, [x2]
    0xC85F7C41: "",  # ldxr x1, [x2]
    0xC89FFC41: "",  # stlr x1, [x2]
    0xD508871F: "tlb",  # tlbi vmalle1
    0xD508832F: "tlb",  # tlbi vae1is, x15
    0xD5182000: "tlb",  # msr ttbr0_el1, x0
    0xD5182020: "tlb",  # msr ttbr1_el1, x0
    0xD5382000: "",  # mrs x0, ttbr0_el1
    0xD5033F9F: "",  # dsb sy
    0x00000000: "",
}
X86_ENDS = [
    ("e810000000", "call", 0x1015),
    ("e8f0ffffff", "call", 0xFF5),
    ("f2e810000000", "call", 0x1016),
    ("e910000000", "jump", 0x1015),
    ("eb05", "jump", 0x1007),
    ("740a", "branch", 0x100C),
    ("0f8510000000", "branch", 0x1016),
    ("e3fe", "branch", 0x1000),
    ("ffd0", "indirect-call", None),
    ("ff1425907856f2", "indirect-call", None),
    ("ffe0", "indirect-jump", None),
    ("3effe0", "indirect-jump", None),
    ("c3", "return", None),
    ("f3c3", "return", None),
    ("c20800", "return", None),
    ("0f05", "other", None),
    ("48cf", "other", None),
    ("f4", "other", None),
    ("90", "other", None),
    ("06", "other", None),
]
ARM_ENDS = [
    (0x94000004, "call", 0x1010),
    (0x97FFFFFF, "call", 0xFFC),
    (0x14000004, "jump", 0x1010),
    (0x54000040, "branch", 0x1008),
    (0xB4000040, "branch", 0x1008),
    (0x36000040, "branch", 0x1008),
    (0xD63F0000, "indirect-call", None),
    (0xD63F081F, "indirect-call", None),
    (0xD61F0000, "indirect-jump", None),
    (0xD65F03C0, "return", None),
    (0xD65F0BFF, "return", None),
    (0xD69F03E0, "other", None),
    (0xD4200000, "other", None),
    (0xD503201F, "other", None),
]


def test_each_instruction_of_a_block_is_of_its_own_kind(tmp_path: Path) -> None:
    lengths, code = _assembled(tmp_path, list(X86))
    found = decode("x86_64", 0x1000, lengths, code)
    for kind in ("atomics", "tlb", "strings"):
        assert getattr(found, kind) == tuple(n for n, expected in enumerate(X86.values()) if expected == kind)


def test_an_instruction_alone_is_of_the_same_kind(tmp_path: Path) -> None:
    lengths, code = _assembled(tmp_path, list(X86))
    at = 0
    for length, (line, expected) in zip(lengths, X86.items(), strict=True):
        found = decode("x86_64", 0x1000, bytes([length]), code[at : at + length])
        assert "".join(kind for kind in ("atomics", "tlb", "strings") if getattr(found, kind)) == expected, line
        at += length


def test_each_arm64_instruction_is_of_its_own_kind() -> None:
    code = b"".join(word.to_bytes(4, "little") for word in ARM)
    found = decode("aarch64", 0xFFFF800080010000, b"\x04" * len(ARM), code)
    for kind in ("atomics", "tlb", "strings"):
        assert getattr(found, kind) == tuple(n for n, expected in enumerate(ARM.values()) if expected == kind)


@pytest.mark.parametrize(("code", "end", "target"), X86_ENDS)
def test_the_last_instruction_says_where_a_block_leads(code: str, end: str, target: int | None) -> None:
    raw = bytes.fromhex(code)
    found = decode("x86_64", 0x1000, bytes([len(raw)]), raw)
    assert (found.end, found.target) == (end, target)
    behind = decode("x86_64", 0x0FFF, bytes([1, len(raw)]), b"\x90" + raw)
    assert (behind.end, behind.target) == (end, target)


@pytest.mark.parametrize(("word", "end", "target"), ARM_ENDS)
def test_the_last_arm64_instruction_says_where_a_block_leads(word: int, end: str, target: int | None) -> None:
    found = decode("aarch64", 0x1000, b"\x04", word.to_bytes(4, "little"))
    assert (found.end, found.target) == (end, target)


def test_a_call_over_the_end_of_the_address_space_wraps() -> None:
    found = decode("x86_64", 0xFFFFFFFFFFFFFFF0, b"\x05", bytes.fromhex("e820000000"))
    assert found.target == 0x15


def _assembled(place: Path, lines: list[str]) -> tuple[bytes, bytes]:
    """Lengths and code, as the assembler makes them."""
    source = "".join(f"i{number}: {line}\n" for number, line in enumerate((*lines, "")))
    made = place / "code.o"
    subprocess.run(("gcc", "-x", "assembler", "-c", "-o", str(made), "-"), input=source.encode(), check=True)
    with made.open("rb") as file:
        elf = ELFFile(file)
        table, text = elf.get_section_by_name(".symtab"), elf.get_section_by_name(".text")
        assert isinstance(table, SymbolTableSection)
        assert text is not None
        at = {s.name: s["st_value"] for s in table.iter_symbols()}
        starts = [at[f"i{number}"] for number in range(len(lines) + 1)]
        lengths = bytes(b - a for a, b in pairwise(starts))
        return lengths, text.data()[: starts[-1]]
