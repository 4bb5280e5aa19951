# SPDX-License-Identifier: GPL-2.0-only
"""python -m benchmarks.timing.probes: writes core/probes/forms-x86_64.inc, a chain and independent copies of each form.

The forms are those of forms-x86_64.txt that user mode may execute on registers alone. One line is
FORM(name, chain, extra, many, copies): assembly in which each operation waits for the one before (extra: cycles of what
else is in the chain), and `copies` operations that do not wait. "" where a form's result is none of its operands, or
where every operation waits for the flags of the one before.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import capstone

from benchmarks.timing.forms import FOLDER, forms
from kassay.labs.predict.decode import MOVE, PLAIN, UNREADABLE, ZERO, Facts, decoder_of

OUT = FOLDER.parents[1] / "core" / "probes" / "forms-x86_64.inc"
_COPIES = 8
_WIDE = ("r8", "r9", "r10", "r11", "rbx", "rsi", "rdi", "rax")
_NAMES = {
    "r64": _WIDE,
    "r32": ("r8d", "r9d", "r10d", "r11d", "ebx", "esi", "edi", "eax"),
    "r16": ("r8w", "r9w", "r10w", "r11w", "bx", "si", "di", "ax"),
    "r8": ("r8b", "r9b", "r10b", "r11b", "bl", "sil", "dil", "al"),
    **{kind: tuple(f"{kind}{number}" for number in range(_COPIES)) for kind in ("xmm", "ymm", "zmm")},
    "k": ("k1", "k2", "k3", "k4", "k5", "k1", "k2", "k3"),
}
"""Registers of results, one for each copy."""
_SOURCES = {
    "r64": ("rcx", "rdx"), "r32": ("ecx", "edx"), "r16": ("cx", "dx"), "r8": ("cl", "dl"),
    **{kind: tuple(f"{kind}{number}" for number in (8, 9, 10)) for kind in ("xmm", "ymm", "zmm")},
    "k": ("k6", "k7"),
}  # fmt: skip
"""Registers of further operands, which nothing writes."""
_ADDRESSES = {"simple": "[{}+8]", "scaled": "[rcx+{}*4]", "three": "[rcx+{}*4+8]"}
_DIVIDEND = "or eax, 0x10000000"
"""Keeps a chain of divisions going: quotients by 0x1001, which is what ecx has for these forms, take 16 bits."""
_SPECIAL = {
    "div r32": (f"{_DIVIDEND}; xor edx, edx; div ecx", 1, "mov eax, esi; xor edx, edx; div ecx"),
    "div r64": (f"{_DIVIDEND}; xor edx, edx; div rcx", 1, "mov eax, esi; xor edx, edx; div rcx"),
    "idiv r32": (f"{_DIVIDEND}; cdq; idiv ecx", 2, "mov eax, esi; xor edx, edx; idiv ecx"),
    "idiv r64": (f"{_DIVIDEND}; cqo; idiv rcx", 2, "mov eax, esi; xor edx, edx; idiv rcx"),
    "mul r32": ("mul ecx", 0, "mov eax, esi; mul ecx"),
    "mul r64": ("mul rcx", 0, "mov eax, esi; mul rcx"),
    "imul r64": ("imul rcx", 0, "mov eax, esi; imul rcx"),
}
_MERGING = ("sqrts", "cvts", "rounds", "rcps", "rsqrts", "movs", "movhlps", "movlhps")
"""Instructions whose result takes a part of its old value along: that part alone would be a chain that is too quick."""
_LEFT_OUT = (
    "nop",
    "prefetch",
    "lea r16",
    "rd",
    "wr",
    "xgetbv",
    "xend",
    "xtest",
    "div r",
    "idiv r",
    "mul r",
    "movsxd r32,r32",
)  # the last: clang does not assemble it, and no compiler emits it


class Probe(NamedTuple):
    """One line. chain: "" for none."""

    form: str
    chain: str
    extra: int
    many: str
    copies: int


def probes() -> Iterator[Probe]:
    """Every form that can be measured so."""
    texts = {form: _texts(form) for form in forms("x86_64")}
    asked = [text for found in texts.values() for text in found]
    facts = _facts(tuple(dict.fromkeys(asked)))
    for form, found in texts.items():
        if form in _SPECIAL:
            chain, extra, many = _SPECIAL[form]
            yield Probe(form, chain, extra, many, 1)
        elif found and all(_usable(facts.get(text), form) for text in found[2:]):
            merges = form[0] == "v" and form[1:].startswith(_MERGING)
            chains = (text for text in found[:2] if not merges and _is_chain(facts.get(text), form))
            apart = not _waits(facts[found[2]], facts[found[3]])
            yield Probe(form, next(chains, ""), 0, "; ".join(found[2:]) if apart else "", _COPIES)


def _texts(form: str) -> tuple[str, ...]:
    """Two candidates for a chain, then copies with a result of their own each. () for a form that is left out."""
    mnemonic, _, rest = form.partition(" ")
    kinds = rest.split(",") if rest else []
    known = all(kind in _NAMES or kind in ("i", "cl", *_ADDRESSES) for kind in kinds)
    if not kinds or not known or kinds[0] not in _NAMES or form.startswith(_LEFT_OUT):
        return ()
    copies = tuple(_text(mnemonic, kinds, copy, same=False) for copy in range(_COPIES))
    chains = (copies[0], _text(mnemonic, kinds, 0, same=True))
    return (*(reversed(chains) if mnemonic.startswith(_MERGING) else chains), *copies)


def _text(mnemonic: str, kinds: Sequence[str], copy: int, *, same: bool) -> str:
    """same: a further operand is the result's register, as where that is written without being read."""
    words, used = [_NAMES[kinds[0]][copy]], 0
    for place, kind in enumerate(kinds[1:], 1):
        if kind == "i":
            words.append("3")
        elif kind == "cl":
            words.append("cl")
        elif kind in _ADDRESSES:
            words.append(_ADDRESSES[kind].format(_WIDE[0] if same else "rdx"))
        elif same and place == 1:
            words.append(_NAMES[kind][copy])
        else:
            words.append(_SOURCES[kind][used])
            used += 1
    return f"{mnemonic} {', '.join(words)}"


def _usable(facts: Facts | None, form: str) -> bool:
    plain = facts is not None and facts.form == form and facts.kind in (PLAIN, MOVE, ZERO) and not facts.system
    return plain and facts is not None and not (facts.load_bytes or facts.store_bytes)


def _is_chain(facts: Facts | None, form: str) -> bool:
    """False as well where another operand is of another class: the result's own register is not what takes long."""
    if facts is None or not _usable(facts, form) or facts.kind != PLAIN:
        return False
    kinds = (kind for kind in form.partition(" ")[2].split(",") if kind in _NAMES)
    return _waits(facts, facts) and len({"vector" if kind[1:] == "mm" else kind[0] for kind in kinds}) == 1


def _waits(first: Facts, second: Facts) -> bool:
    """True if the second one needs a result of the first one."""
    return bool(set(first.writes) & {*second.data_reads, *second.address_reads})


def _facts(texts: Sequence[str]) -> dict[str, Facts]:
    """Facts of those instructions that the assembler knows."""
    wrong = _problems(texts)
    left = [text for number, text in enumerate(texts) if number not in wrong]
    code = _assembled(left)
    decoder, engine = decoder_of("x86_64"), capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    found = {}
    for number, text in enumerate(left):
        slot = code[16 * number : 16 * number + 16]
        size = next((size for _, size, _, _ in engine.disasm_lite(slot, 0)), 0)
        facts = decoder.facts(slot[:size]) if size else Facts(form=UNREADABLE)
        found[text] = facts
    return found


def _problems(texts: Sequence[str]) -> set[int]:
    done = _assembler(texts)[1]
    return {int(line.split(":")[1]) - 2 for line in done.splitlines() if ": Error:" in line}


def _assembled(texts: Sequence[str]) -> bytes:
    code, errors = _assembler([f".p2align 4; {text}" for text in texts])
    if errors:
        raise SystemExit(errors)
    return code


def _assembler(lines: Sequence[str]) -> tuple[bytes, str]:
    with tempfile.TemporaryDirectory() as scratch:
        source, result, flat = (Path(scratch) / name for name in ("forms.s", "forms.o", "forms.bin"))
        source.write_text(".intel_syntax noprefix\n" + "\n".join(lines) + "\n")
        done = subprocess.run(["as", "--64", "-o", result, source], capture_output=True, text=True, check=False)
        if done.returncode:
            return b"", done.stderr
        subprocess.run(["objcopy", "-O", "binary", "-j", ".text", result, flat], check=True)
        return flat.read_bytes(), ""


def main() -> None:
    """Writes the file."""
    lines = [
        f'FORM("{one.form}", "{one.chain}", {one.extra}, "{one.many}", {one.copies})\n' for one in probes()
    ]  # fmt: skip
    head = "/* SPDX-License-Identifier: GPL-2.0-only */\n/* Written by python -m benchmarks.timing.probes. */\n"
    OUT.write_text(head + "".join(lines))
    print(f"{len(lines)} forms")


if __name__ == "__main__":
    main()
