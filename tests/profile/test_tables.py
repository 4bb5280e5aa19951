# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables of kernels, modules and static programs: where each function begins and ends, and its one name."""

import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.evidence.profile.symbols import Symbols
from kassay.evidence.profile.tables import kernel_symbols, module_symbols, program_symbols

SOURCE = """
__attribute__((noinline, section(".text.extra"))) int twice(int x) { return 2 * x; }
static __attribute__((noinline)) int thrice(int x) { return 3 * x; }
int called_thrice(int x) __attribute__((alias("exported")));
int exported(int x) { return thrice(x) + twice(x); }
int main(int argc, char **argv) { (void)argv; return exported(argc); }
"""


def _kernel(place: Path, *lines: str) -> list[str]:
    path = place / "symbols"
    path.write_text("".join(f"{line}\n" for line in lines))
    header, *found = kernel_symbols(path).decode().splitlines()
    assert header == "symbols 1 kernel"
    return found


def test_a_function_reaches_to_the_next_symbol_of_any_kind(tmp_path: Path) -> None:
    assert _kernel(
        tmp_path,
        "0000000000000000 A fixed_percpu_data",
        "ffffffff81000000 T alpha",
        "ffffffff81000010 t beta",
        "ffffffff81000050 D table",
        "ffffffff81000060 W gamma",
        "ffffffff81000070 B end",
    ) == ["ffffffff81000000 10 0 alpha", "ffffffff81000010 40 0 beta", "ffffffff81000060 10 0 gamma"]


def test_a_variable_that_the_table_calls_code_is_no_function(tmp_path: Path) -> None:
    assert _kernel(
        tmp_path,
        "ffffffff81000000 T alpha",
        "ffffffff81000010 T _sdata",
        "ffffffff81000010 t flag",
        "ffffffff81000020 T _edata",
        "ffffffff81000020 T beta",
        "ffffffff81000030 B end",
    ) == ["ffffffff81000000 10 0 alpha", "ffffffff81000020 10 0 beta"]


def test_padding_joins_the_function_behind_it(tmp_path: Path) -> None:
    assert _kernel(
        tmp_path,
        "ffffffff81000000 t __pfx_alpha",
        "ffffffff81000010 t alpha",
        "ffffffff81000030 T __pfx_lonely",
        "ffffffff81000040 D table",
    ) == ["ffffffff81000000 30 10 alpha", "ffffffff81000030 10 10 lonely"]


def test_of_aliases_the_global_plain_short_one_is_kept(tmp_path: Path) -> None:
    names = ["t abc", "T __x64_sys", "T longer", "T short", "T shorx", "t __pfx_short"]
    lines = [f"ffffffff81000000 {name}" for name in names]
    for given in (lines, lines[::-1]):
        assert _kernel(tmp_path, *given, "ffffffff81000008 D end") == ["ffffffff81000000 8 0 short"]


@pytest.mark.parametrize("bound", ["__softirqentry_text_end", "_stext", "__entry_text_start"])
def test_the_bound_of_a_section_names_no_function_that_has_a_name(tmp_path: Path, bound: str) -> None:
    lines = (f"ffffffff81000000 T {bound}", "ffffffff81000000 t __x86_indirect_thunk_rax")
    expected = ["ffffffff81000000 8 0 __x86_indirect_thunk_rax"]
    assert _kernel(tmp_path, *lines, "ffffffff81000008 D end") == expected


def test_a_file_that_is_no_symbol_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "symbols"
    with pytest.raises(BadInput, match="no symbols of a kernel"):
        kernel_symbols(path)
    path.write_text("ffffffff81000000 T\n")
    with pytest.raises(BadInput, match="no symbols of a kernel"):
        kernel_symbols(path)


def test_the_end_of_the_code_may_be_the_last_symbol(tmp_path: Path) -> None:
    (tmp_path / "symbols").write_text("1000 T alpha\n1040 T _einittext\n")
    assert kernel_symbols(tmp_path / "symbols") == b"symbols 1 kernel\n1000 40 0 alpha\n"


def test_the_last_function_must_end_somewhere(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="alpha has no end"):
        _kernel(tmp_path, "ffffffff81000000 T alpha")


def test_functions_of_a_static_program_are_found_at_their_addresses(tmp_path: Path) -> None:
    path = _compiled(tmp_path, "-static", "-fno-pie", "-no-pie")
    text = program_symbols(path)
    assert text == program_symbols(path)
    found = Symbols.load([text], {})
    assert {b"main", b"exported", b"thrice", b"twice"} <= set(text.split())
    assert b"called_thrice" not in text.split()
    listed = subprocess.run(("nm", str(path)), capture_output=True, text=True, check=True).stdout
    at = {words[2]: int(words[0], 16) for words in map(str.split, listed.splitlines()) if len(words) == 3}
    for name in ("main", "exported", "thrice", "twice"):
        function = found.function(at[name])
        assert function is not None
        assert (function.name, function.entry) == (name, at[name])


def test_a_program_without_a_fixed_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not linked to a fixed address"):
        program_symbols(_compiled(tmp_path, "-fpie", "-pie"))
    (tmp_path / "text").write_text("no ELF")
    with pytest.raises(BadInput, match="no symbols of a program"):
        program_symbols(tmp_path / "text")


def test_functions_of_a_module_count_from_their_section(tmp_path: Path) -> None:
    text = module_symbols("twice", _compiled(tmp_path, "-c").read_bytes()).decode()
    sections = dict(part.split("\n", 1) for part in text.split("section ")[1:])
    assert text.startswith("symbols 1 twice\nsection ")
    assert sections[".text.extra"].startswith("0 ")
    assert sections[".text.extra"].endswith(" 0 twice\n")
    assert "main" in sections[".text"] or "main" in sections[".text.startup"]
    with pytest.raises(BadInput, match="module zram: no symbols"):
        module_symbols("zram", b"no ELF")


def _compiled(place: Path, *flags: str) -> Path:
    source, made = place / "source.c", place / "made"
    source.write_text(SOURCE)
    subprocess.run(("gcc", "-O2", *flags, "-o", str(made), str(source)), check=True)
    return made
