# SPDX-License-Identifier: GPL-2.0-only
"""Addresses become lines, with what was inlined there, on a program of a real compiler."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kassay.effects import process
from kassay.errors import BadInput, HostLacks
from kassay.evidence.profile import lines
from kassay.model.lines import Frame, LineTable

SOURCE = """\
static inline __attribute__((always_inline)) long inner(long a)
{
\treturn a * 3 + 7;
}

__attribute__((noinline)) long outer(long a)
{
\treturn inner(a) ^ 5;
}

int main(int argc, char **argv)
{
\t(void)argv;
\treturn (int)outer(argc);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("lines")
    (place / "p.c").write_text(SOURCE)
    subprocess.run(["gcc", "-g", "-O2", "-static", "-o", place / "p", place / "p.c"], check=True)
    return place / "p"


@cache
def functions_of(program: Path) -> dict[str, range]:
    """Addresses of the program's functions. Its C library has two thousand."""
    with program.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        found = ((symbol.name, symbol["st_value"], symbol["st_size"]) for symbol in table.iter_symbols())
        return {name: range(start, start + size) for name, start, size in found}


def instructions_of(program: Path, function: str) -> dict[int, int]:
    """Every address of the function that may begin an instruction, executed 10 times each."""
    return dict.fromkeys(functions_of(program)[function], 10)


@cache
def code_of(program: Path) -> list[tuple[int, bytes]]:
    """The program's code in blocks of 16 bytes, as they were executed."""
    with program.open("rb") as file:
        text = ELFFile(file).get_section_by_name(".text")
        assert text is not None
        code, start = text.data(), text["sh_addr"]
        return [(start + at, code[at : at + 16]) for at in range(0, 8192, 16)]


@pytest.mark.parametrize("tool", ["llvm-addr2line", "addr2line"])
def test_a_line_is_told_with_the_functions_it_was_inlined_into(
    program: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    monkeypatch.setattr(lines, "_PROGRAM", tool)
    places = instructions_of(program, "outer")
    made = lines.rows(program, places, code_of(program))
    assert sum(row.count for row in made) == sum(places.values())
    inlined = [row for row in made if row.function == "inner"]
    assert [(row.line, row.inlined_into) for row in inlined] == [(3, ("outer",))]
    assert all(row.file is not None and row.file.endswith("p.c") for row in made)
    assert {row.line for row in made if not row.inlined_into} <= {6, 7, 8, 9}
    assert [row.count for row in made] == sorted((row.count for row in made), reverse=True)


@pytest.mark.slow
def test_many_addresses_are_asked_in_batches_and_none_is_lost(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = instructions_of(program, "outer")
    whole = lines.rows(program, places, code_of(program))
    monkeypatch.setattr(lines, "_BATCH", 3)
    assert lines.rows(program, places, code_of(program)) == whole


def test_an_address_without_a_line_keeps_its_count(program: Path) -> None:
    (row,) = lines.rows(program, {1: 5}, code_of(program))
    assert (row.file, row.line, row.count) == (None, None, 5)


def test_no_line_information_is_bad_input_with_the_way_out(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    (tmp_path / "text").write_text("no kernel")
    for path, said in (
        (stripped, "no line information"),
        (tmp_path / "text", "not an ELF"),
        (tmp_path / "no", "No such"),
    ):
        with pytest.raises(BadInput, match=said) as caught:
            lines.rows(path, {0: 1}, code_of(program))
        assert "CONFIG_DEBUG_INFO" in caught.value.remedy


def test_a_host_without_the_program_lacks_it(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find", lambda _: None)
    with pytest.raises(HostLacks, match="addr2line"):
        lines.rows(program, {0: 1}, code_of(program))


def test_a_file_of_another_build_is_refused(program: Path) -> None:
    places, code = instructions_of(program, "outer"), code_of(program)
    moved = [(address + 16, block) for address, block in code]
    with pytest.raises(BadInput, match=r"another build than was executed: only \d{1,2} % of") as caught:
        lines.rows(program, places, moved)
    assert "of the very same build" in caught.value.remedy
    with pytest.raises(BadInput, match="nothing that was executed lies in this file"):
        lines.rows(program, places, [(address + (1 << 40), block) for address, block in code])


def test_a_file_with_debug_information_alone_is_not_called_another_build(program: Path) -> None:
    alone = program.with_name("p.debug")
    subprocess.run(["objcopy", "--only-keep-debug", program, alone], check=True)
    with pytest.raises(BadInput, match="has debug information and no code") as caught:
        lines.rows(alone, instructions_of(program, "outer"), code_of(program))
    assert "whole vmlinux" in caught.value.remedy


def test_code_that_was_patched_at_boot_and_code_elsewhere_do_not_matter(program: Path) -> None:
    places, code = instructions_of(program, "outer"), code_of(program)
    patched = [(address, bytes((block[0] ^ 1, block[1] ^ 1)) + block[2:]) for address, block in code]
    module = [(address + (1 << 40), bytes(16)) for address, _ in code]
    assert lines.rows(program, places, [*patched, *module]) == lines.rows(program, places, code)


def test_the_lines_that_a_run_kept_add_up_with_what_lies_outside_of_the_image() -> None:
    inner, outer = Frame(function="inner", file="mm/a.c", line=3), Frame(function="outer", file="mm/a.c", line=9)
    table = LineTable(version=1, chains=((inner, outer), (outer,)), places=((16, 0), (20, 1)))
    made = lines.rows_of_table(table, {16: 5, 20: 7, 99: 4})
    assert [(row.function, row.line, row.inlined_into, row.count) for row in made] == [
        ("outer", 9, (), 7), ("inner", 3, ("outer",), 5), (lines.ELSEWHERE, None, (), 4),
    ]  # fmt: skip
