# SPDX-License-Identifier: GPL-2.0-only
"""Functions in object files."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.codegen.objects import find_in_object, functions_of_object
from kassay.supply.machine_code.code import name_without_counters, quoted
from kassay.supply.machine_code.listing import listing
from tests.codegen.compiled import SCAN, built

BRANCH = """
extern int key, hits;
int asked(int a)
{
	__asm__ goto("1: .byte 0x0f,0x1f,0x44,0x00,0x00\\n\\t.pushsection __jump_table, \\"aw\\"\\n\\t.balign 8\\n\\t"
		".long 1b - ., %l[yes] - .\\n\\t.quad key - .\\n\\t.popsection" : : : : yes);
	return a;
yes:
	return hits + a;
}
"""


def test_sizes_are_those_of_the_symbols() -> None:
    import subprocess

    path = built(SCAN)
    found = find_in_object(path, "scan")
    assert found is not None
    lines = subprocess.run(["nm", "-S", path], check=True, capture_output=True, text=True).stdout.splitlines()
    size = next(int(line.split()[1], 16) for line in lines if line.endswith(" scan"))
    assert len(found.parts[0].code) == size


def test_an_object_without_the_function_has_none_and_says_what_it_has() -> None:
    assert find_in_object(built(SCAN), "scam") is None
    assert {"scan", "fill", "lookup"} <= {name.partition(".")[0] for name in functions_of_object(built(SCAN))}


def test_function_includes_only_its_own_copies() -> None:
    text = SCAN + "int scan_all(unsigned long *p) { return scan(p, 3); }\n"
    found = find_in_object(built(text), "scan")
    assert found is not None
    assert all(part.name.partition(".")[0] == "scan" for part in found.parts)


def test_a_static_branch_is_named_with_its_key_and_not_taken_for_alignment() -> None:
    found = find_in_object(built(BRANCH), "asked")
    assert found is not None
    texts = [one.text for one in listing(found).instructions]
    assert [text for text in texts if "static key" in text] == ["nop or jump to .L1 (static key key)"]


def test_what_is_no_object_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "a.o"
    wrong.write_text("no object")
    with pytest.raises(BadInput, match="not an object file"):
        find_in_object(wrong, "scan")
    with pytest.raises(BadInput, match="No such file"):
        find_in_object(tmp_path / "none.o", "scan")


@pytest.mark.parametrize(
    ("name", "plain"),
    [("__already_done.7", "__already_done"), ("f.llvm.1234", "f"), ("f.isra.0", "f.isra.0"), ("f.part.2", "f.part.2"),
     ("__UNIQUE_ID_warn_612", "__UNIQUE_ID_warn"), ("memcpy", "memcpy")],
)  # fmt: skip
def test_numbers_that_count_through_a_file_are_no_part_of_a_name(name: str, plain: str) -> None:
    assert name_without_counters(name) == plain


def test_only_text_is_shown_as_text() -> None:
    assert quoted(b"bad page\0rest") == '"bad page"'
    assert quoted(b"a\nb\0") == '"a\\10b"'
    assert [quoted(data) for data in (b"", b"\0", b"never ends", b"\xff\0")] == [None] * 4
