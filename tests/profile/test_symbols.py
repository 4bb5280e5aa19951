# SPDX-License-Identifier: GPL-2.0-only
"""To which function an address belongs: of the kernel, of a module, of a program, or of nothing."""

import pytest

from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.symbols import Symbols
from kassay.model.profile import NO_SYMBOL
from tests.profile.files import KERNEL, symbols, table

MODULE = b"symbols 1 zram\nsection .text\n0 10 0 zram_open\n10 20 0 zram_write\nsection .init.text\n0 8 0 zram_init\n"


def test_an_address_belongs_to_the_function_around_it() -> None:
    found = symbols((KERNEL, 0x10, "alpha"), (KERNEL + 0x20, 0x10, "beta"))
    assert found.find(KERNEL) == found.find(KERNEL + 0xF) == ("alpha", "kernel")
    assert found.find(KERNEL + 0x20) == ("beta", "kernel")


@pytest.mark.parametrize("address", [KERNEL - 1, KERNEL + 0x10, KERNEL + 0x30, 0xFFFFFFFFC0000000, (1 << 64) - 1])
def test_an_address_of_the_kernel_beside_all_functions_has_no_symbol(address: int) -> None:
    found = symbols((KERNEL, 0x10, "alpha"), (KERNEL + 0x20, 0x10, "beta"))
    assert found.find(address) == (NO_SYMBOL, "kernel")


def test_an_address_of_a_program_beside_all_functions_has_no_symbol() -> None:
    found = Symbols.load([table((KERNEL, 16, "a")), table((0x401000, 16, "main"), place="program")], {})
    assert found.find(0x401004) == ("main", "program")
    assert found.find(0x401010) == found.find(0x7FFF00000000) == found.find(0) == (NO_SYMBOL, "program")


def test_sections_of_a_module_are_where_the_kernel_loaded_them() -> None:
    found = Symbols.load(
        [MODULE, table((KERNEL, 16, "a"))],
        {("zram", ".text"): 0xFFFFFFFFC0100000, ("other", ".init.text"): 0xFFFFFFFFC0200000},
    )
    assert found.find(0xFFFFFFFFC0100013) == ("zram_write", "zram")
    assert found.find(0xFFFFFFFFC0200000) == (NO_SYMBOL, "kernel")
    assert found.find(KERNEL + 1) == ("a", "kernel")


def test_memory_of_a_module_s_init_code_may_be_another_module_s() -> None:
    """Addresses of 6.17: zsmalloc's .init.text lay where zram's was loaded later."""
    at = 0xFFFFFFFFC0403000
    found = Symbols.load(
        [MODULE, b"symbols 1 crc16\nsection .text\n0 40 0 crc16\n"],
        {("zram", ".init.text"): at + 16, ("crc16", ".text"): at},
    )
    assert found.find(at + 20) == ("crc16", "crc16")
    assert "zram_init" in found.names()


def test_padding_belongs_to_the_function_but_is_not_its_entry() -> None:
    found = Symbols.load([b"symbols 1 kernel\n%x 30 10 beta\n" % KERNEL], {})
    function = found.function(KERNEL + 4)
    assert function is not None
    assert (function.name, function.start, function.entry, function.end) == (
        "beta", KERNEL, KERNEL + 0x10, KERNEL + 0x30,
    )  # fmt: skip


def test_the_names_are_those_of_kernel_and_modules() -> None:
    found = Symbols.load(
        [MODULE, table((KERNEL, 16, "a"), (KERNEL + 16, 1, "b.cold")), table((0x401000, 16, "main"), place="program")],
        {("zram", ".text"): 1 << 63},
    )
    assert found.names() == {"a", "b.cold", "zram_open", "zram_write"}


@pytest.mark.parametrize(
    "text", [b"", b"symbols 2 kernel\n1 1 0 a\n", b"symbols 1 kernel\n1 1 0\n", b"symbols 1 kernel\n1 1 0 a"]
)
def test_what_is_not_a_whole_table_is_refused(text: bytes) -> None:
    with pytest.raises(ProfileError, match="symbol table"):
        Symbols.load([text], {})
