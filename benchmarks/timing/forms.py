# SPDX-License-Identifier: GPL-2.0-only
"""python -m benchmarks.timing.forms ARCH FILE...: adds the forms in programs and kernels to forms-ARCH.txt.

A line is a form and the bytes of one instruction of it, in hexadecimal. Of several the one is taken whose registers
differ most from each other, as equal ones may be an idiom.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import capstone
from elftools.elf.elffile import ELFFile

from kassay.labs.predict.decode import MOVE, UNREADABLE, ZERO, Facts, decoder_of

FOLDER = Path(__file__).parent


def forms(arch: str) -> dict[str, bytes]:
    """Form -> bytes of an instruction of it, as the committed file has it."""
    path = FOLDER / f"forms-{arch}.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return {form: bytes.fromhex(code) for form, _, code in (line.partition("\t") for line in lines)}


def instructions(arch: str, path: Path) -> Iterator[bytes]:
    """Each instruction in the code of an ELF file, or in a flat image of a kernel, once."""
    for code in _code(path):
        yield from dict.fromkeys(_words(code) if arch == "arm64" else _sweep(code))


def _words(code: bytes) -> Iterator[bytes]:
    """Words that occur more than once. Data among code occurs once."""
    times = Counter(code[at : at + 4] for at in range(0, len(code) - 3, 4))
    yield from (word for word, count in times.items() if count > 1)


def _sweep(code: bytes) -> Iterator[bytes]:
    engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    engine.skipdata = True
    at = 0
    for _, size, name, _ in engine.disasm_lite(code, 0):
        if name != ".byte":
            yield code[at : at + size]
        at += size


def _code(path: Path) -> Iterator[bytes]:
    if path.read_bytes()[:4] != b"\x7fELF":
        symbols = (line.split() for line in (path.parent / "symbols").read_text().splitlines())
        at = {words[2]: int(words[0], 16) for words in symbols if words[2] in ("_text", "_stext", "_etext")}
        yield path.read_bytes()[at["_stext"] - at["_text"] : at["_etext"] - at["_text"]]
        return
    with path.open("rb") as stream:
        for section in ELFFile(stream).iter_sections():
            if section["sh_flags"] & 4 and section["sh_type"] == "SHT_PROGBITS":
                yield section.data()


def _better(code: bytes, facts: Facts, before: bytes | None, known: Facts | None) -> bool:
    if before is None or known is None:
        return True
    return _rank(code, facts) < _rank(before, known)


def _rank(code: bytes, facts: Facts) -> tuple[bool, int, bytes]:
    registers = {*facts.address_reads, *facts.data_reads, *facts.writes}
    return facts.kind in (ZERO, MOVE), -len(registers), code


def main(arch: str, paths: list[Path]) -> None:
    decode = decoder_of(arch).facts
    known = forms(arch)
    facts = {form: decode(code) for form, code in known.items()}
    for path in paths:
        for code in instructions(arch, path):
            one = decode(code)
            if one.form != UNREADABLE and _better(code, one, known.get(one.form), facts.get(one.form)):
                known[one.form], facts[one.form] = code, one
        print(path, len(known), file=sys.stderr)
    lines = [f"{form}\t{known[form].hex()}\n" for form in sorted(known)]
    (FOLDER / f"forms-{arch}.txt").write_text("".join(lines))


if __name__ == "__main__":
    main(sys.argv[1], [Path(name) for name in sys.argv[2:]])
