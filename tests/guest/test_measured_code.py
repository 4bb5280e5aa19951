# SPDX-License-Identifier: GPL-2.0-only
"""The measured region is assembly: the same bytes by any compiler, and no way out of them."""

import shutil
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import capstone
import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kassay.errors import HostLacks
from kassay.supply.guest import compile, sources

GUEST = sources.directory()
COMPILERS = {
    "x86_64": (("gcc",), ("clang",)),
    "arm64": (("aarch64-linux-gnu-gcc",), ("clang", "--target=aarch64-linux-gnu")),
}
DECODERS = {
    "x86_64": (capstone.CS_ARCH_X86, capstone.CS_MODE_64),
    "arm64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN),
}


def measured(elf: bytes) -> tuple[int, bytes]:
    """Address and bytes of the measured code, of a program or of the architecture's object alone."""
    file = ELFFile(BytesIO(elf))
    table = file.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    symbols = {symbol.name: symbol for symbol in table.iter_symbols()}
    start, end = (symbols[name]["st_value"] for name in ("measured_begin", "measured_end"))
    section = file.get_section(symbols["measured_begin"]["st_shndx"])
    offset = start - section["sh_addr"]
    return start, section.data()[offset : offset + end - start]


def instructions(arch: str, address: int, code: bytes) -> Iterator[capstone.CsInsn]:
    decoder = capstone.Cs(*DECODERS[arch])
    decoder.detail = True
    yield from decoder.disasm(code, address)


def compiled(arch: str, compiler: tuple[str, ...], level: str, directory: Path) -> bytes:
    """The architecture's file, by one compiler at one level of optimisation."""
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]} on this host")
    made = directory / "made.o"
    argv = (
        *compiler,
        *compile.FLAGS[2:],
        level,
        "-Wno-unused-command-line-argument",
        "-c",
        f"arch/{arch}.c",
        "-o",
        str(made),
    )
    subprocess.run(argv, cwd=GUEST, check=True)
    return made.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("arch", sources.arches())
@pytest.mark.parametrize(
    "level", ["-O0", pytest.param("-O1", marks=pytest.mark.slow), "-O2", pytest.param("-O3", marks=pytest.mark.slow)]
)
def test_compilers_make_the_same_code_of_it(arch: str, level: str, tmp_path: Path) -> None:
    gcc, clang = (compiled(arch, compiler, level, tmp_path) for compiler in COMPILERS[arch])
    usual = measured(compiled(arch, COMPILERS[arch][0], "-O2", tmp_path))
    assert len(usual[1]) > 500
    assert measured(gcc) == usual
    if level != "-O0":
        assert measured(clang) == usual
    else:  # clang makes all jumps long ones there: other bytes, and the same instructions
        names = [[i.mnemonic for i in instructions(arch, *measured(elf))] for elf in (gcc, clang)]
        assert names[0] == names[1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang on this host")
def test_whole_programs_hold_the_same_code() -> None:
    names = ("calibrate", "page_fault")
    programs = [compile.build(name, "x86_64", compiler=compiler) for name in names for compiler in ("gcc", "clang")]
    assert len({program.read_bytes() for program in programs}) == 4
    assert len({measured(program.read_bytes())[1] for program in programs}) == 1


@pytest.mark.parametrize("arch", sources.arches())
def test_no_jump_leads_out_of_it(arch: str) -> None:
    """No jump to a fixed address leads out. Steps are called through the script, and libc's clock only to measure
    time."""
    compiler = COMPILERS[arch][0][0]
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this host")
    start, code = measured(compile.build("calibrate", arch).read_bytes())
    targets, indirect = [], []
    for found in instructions(arch, start, code):
        if not (found.group(capstone.CS_GRP_JUMP) or found.group(capstone.CS_GRP_CALL)):
            continue
        fixed = [operand.imm for operand in found.operands if operand.type == capstone.CS_OP_IMM]
        targets += fixed[-1:]
        indirect += [] if fixed else [found.mnemonic]
    assert targets
    assert all(start <= target < start + len(code) for target in targets)
    assert len(indirect) == 5  # four that run scripts, and the clock


def test_an_architecture_without_a_file_is_refused_with_the_files_name() -> None:
    with pytest.raises(HostLacks, match="riscv64") as caught:
        compile.build("calibrate", "riscv64")
    assert "guest/arch/riscv64.c" in caught.value.remedy
