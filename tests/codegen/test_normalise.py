# SPDX-License-Identifier: GPL-2.0-only
"""Normalised code: equal wherever it is linked, different as soon as one instruction is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.labs.codegen.objects import find_in_object
from kassay.supply.machine_code.code import FunctionCode, Symbol
from kassay.supply.machine_code.images import Image
from kassay.supply.machine_code.listing import Listing, listing
from tests.codegen.compiled import ARM64, COMPILERS, SCAN, built, code_of, linked, needs, stubs

pytestmark = pytest.mark.slow  # seconds for the whole file

TOP = 0xFFFFFFFF81000000
by_compiler = pytest.mark.parametrize("cc", (*COMPILERS, ARM64))

# One change of the source each, every one of which is one of the machine code.
CHANGES = {
    "immediate": ("+ 7", "+ 9"),
    "compared number": ("0x1234", "0x1235"),
    "callee": ("sum += visit(", "sum += visit2("),
    "string": ("odd entry", "odd entrY"),
    "condition": ("p[i] & 1", "!(p[i] & 1)"),
    "variable": ("sum = limit", "sum = limit2"),
    "operation": ("sum += lookup(i)", "sum ^= lookup(i)"),
}


def changed(name: str) -> str:
    old, new = CHANGES[name]
    assert old in SCAN
    return "extern int visit2(unsigned long, void *); extern int limit2;\n" + SCAN.replace(old, new)


def texts(code: Listing) -> list[str]:
    return [one.text for one in code.instructions]


def in_image(at: int, directory: Path, cc: str = "gcc", padding: int = 0, text: str = SCAN) -> Listing:
    found = Image(linked((stubs(padding=padding), built(text, cc)), at, directory)).find("scan")
    assert found is not None
    return listing(found)


@by_compiler
def test_the_same_source_behind_other_functions_is_the_same_class_and_the_same_bytes(cc: str) -> None:
    before = "int earlier(int a) { return a * 3 + 1; }\nint second(int a) { return earlier(a) * a; }\n"
    plain, moved = code_of(SCAN, cc), code_of(before + SCAN, cc)
    assert (plain.sha256, plain.bytes_sha256) == (moved.sha256, moved.bytes_sha256)


@by_compiler
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_the_code_is_another_class(cc: str, name: str) -> None:
    assert code_of(SCAN, cc).sha256 != code_of(changed(name), cc).sha256


@by_compiler
def test_two_compilations_are_equal_to_the_last_text(cc: str) -> None:
    again = code_of(SCAN + "\n/* another file, the same code */\n", cc)
    assert texts(code_of(SCAN, cc)) == texts(again)


def test_other_alignment_is_the_same_class_with_other_bytes() -> None:
    plain = code_of(SCAN, "gcc", "-falign-loops=1", "-falign-jumps=1")
    padded = code_of(SCAN, "gcc", "-falign-loops=32", "-falign-jumps=32")
    assert plain.sha256 == padded.sha256
    assert plain.bytes_sha256 != padded.bytes_sha256


@pytest.mark.parametrize("cc", COMPILERS)
def test_an_image_linked_at_another_place_has_the_same_function(cc: str, tmp_path: Path) -> None:
    here, there = in_image(TOP, tmp_path, cc), in_image(TOP + 0x3F000, tmp_path, cc, padding=77)
    assert (here.sha256, here.bytes_sha256) == (there.sha256, there.bytes_sha256)


@pytest.mark.parametrize("cc", COMPILERS)
def test_the_image_s_function_is_the_object_s(cc: str, tmp_path: Path) -> None:
    assert texts(in_image(TOP, tmp_path, cc)) == texts(code_of(SCAN, cc))


@pytest.mark.parametrize("name", [name for name in CHANGES if name not in ("callee", "variable")])
def test_a_change_is_another_class_in_an_image_too(name: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert in_image(TOP, tmp_path).sha256 != in_image(TOP, other, text=changed(name)).sha256


@by_compiler
def test_names_stand_for_callees_and_what_was_not_inlined_is_listed(cc: str) -> None:
    code = code_of(SCAN, cc)
    called = {call.callee: call.sites for call in code.calls}
    assert called["visit"] == called["warn"] == 1
    assert any(name.startswith("lookup") for name in called)
    assert any('"odd entry"' in text for text in texts(code))


@by_compiler
def test_labels_are_numbered_in_order_and_every_jump_leads_to_one(cc: str) -> None:
    code = code_of(SCAN, cc)
    labels = [one.label for one in code.instructions if one.label]
    assert labels == [f".L{number}" for number in range(1, len(labels) + 1)]
    used = {word for text in texts(code) for word in text.replace(",", " ").split() if word.startswith(".L")}
    assert used == set(labels)


def test_a_cold_part_belongs_to_the_function() -> None:
    text = SCAN.replace("extern void warn", "extern void __attribute__((cold)) warn")
    found = find_in_object(built(text), "scan")
    assert found is not None
    assert [part.name for part in found.parts] == ["scan", "scan.cold"]
    into = [one for one in listing(found).instructions if one.part == "scan.cold" and one.label]
    assert into, "the jump from the hot part has a label in the cold one"


def test_the_tracer_s_call_and_landing_pads_are_told_apart() -> None:
    traced = code_of(SCAN, "gcc", "-pg", "-mfentry")
    assert "__fentry__" not in " ".join(texts(traced))
    assert traced.sha256 == code_of(SCAN, "gcc", "-pg", "-mfentry", "-mnop-mcount").sha256
    assert "endbr64" in texts(code_of(SCAN, "gcc", "-fcf-protection=branch"))


def test_bytes_that_are_no_instruction_stay_in_the_listing() -> None:
    text = 'int odd(int a) { __asm__ volatile(".byte 0x06"); return a; }\n'
    assert any(one.startswith(".byte") for one in texts(code_of(text, function="odd")))


def test_room_for_code_that_is_patched_in_is_not_alignment() -> None:
    room = 'int odd(int a) { __asm__ volatile(".skip 3, 0x90"); return a + 1; }\n'
    none = "int odd(int a) { return a + 1; }\n"
    assert code_of(room, function="odd").sha256 != code_of(none, function="odd").sha256


_SWITCH = "int pick(unsigned long a) { %s switch (a) { %s default: return 0; } }\n"
_CASES = "case {0}: return one(a); case {1}: return two(a, a); case {2}: return three(); case {3}: return four(a + 1);"
_NAMES = "extern int one(long), two(long, long), three(void), four(long);\n"


def switch(*order: int, before: str = "") -> str:
    return _NAMES + _SWITCH % (before, _CASES.format(*order) + " case 4: return 7; case 5: return 9;")


def test_the_order_of_a_switch_s_cases_is_part_of_the_code() -> None:
    one, other = (code_of(switch(*order), function="pick") for order in ((0, 1, 2, 3), (1, 0, 2, 3)))
    assert any("cases(.L" in line.text for line in one.instructions)
    assert one.sha256 != other.sha256
    assert not any(call.callee.startswith("*") for call in one.calls)


def test_a_switch_is_the_same_wherever_its_table_lies_and_in_a_linked_kernel(tmp_path: Path) -> None:
    more = "int also(unsigned long a) { switch (a) { case 0: return one(4); case 1: return three(); case 2: return 5;"
    more += " case 3: return four(8); case 4: return two(a, 1); default: return 0; } }\n"
    alone = code_of(switch(0, 1, 2, 3), function="pick")
    text = _NAMES + more + switch(0, 1, 2, 3)
    assert code_of(text, function="pick").sha256 == alone.sha256
    bodies = "int one(long a) { return a; } int two(long a, long b) { return a + b; }\n"
    bodies += "int three(void) { return 3; } int four(long a) { return -a; }\n"
    found = Image(linked((built(text), built(bodies)), 0xFFFFFFFF81000000, tmp_path)).find("pick")
    assert found is not None
    assert [line.text for line in listing(found).instructions] == [line.text for line in alone.instructions]


class _Nowhere:
    """A file without symbols or relocations."""

    def __init__(self, arch: str) -> None:
        self.arch = arch

    def relocated(self, field: tuple[int, int], end: int) -> None:
        return None

    def absolute(self, value: int, per_cpu: bool) -> None:
        return None

    def name(self, spot: tuple[int, int]) -> str:
        return f"at{spot[1]:x}"

    def table(self, spot: tuple[int, int]) -> Iterator[tuple[int, int]]:
        return iter(())

    def static_branch(self, spot: tuple[int, int]) -> None:
        return None


@given(st.sampled_from(("x86_64", "arm64")), st.binary(max_size=80))
def test_any_bytes_have_a_listing_that_covers_them(arch: str, code: bytes) -> None:
    whole = code[: len(code) // 4 * 4] if arch == "arm64" else code
    found = listing(FunctionCode((Symbol("f", (0, 0x1000), whole),), _Nowhere(arch)))
    assert sum(one.size for one in found.instructions) <= len(whole)
    assert len(found.spots) == len(found.instructions)


@settings(max_examples=60)
@given(st.data())
def test_a_flipped_bit_that_changes_an_instruction_changes_the_class_or_the_bytes(data: st.DataObject) -> None:
    needs("gcc")
    found = find_in_object(built(SCAN), "scan")
    assert found is not None
    plain, part = listing(found), found.parts[0]
    bit = data.draw(st.integers(0, 8 * len(part.code) - 1))
    code = bytearray(part.code)
    code[bit // 8] ^= 1 << bit % 8
    flipped = listing(FunctionCode((part._replace(code=bytes(code)), *found.parts[1:]), found.file))
    inside_relocated = any(found.file.relocated((part.spot[0], part.spot[1] + bit // 8 - back), 0) for back in range(4))
    if not inside_relocated:
        assert (flipped.sha256, flipped.bytes_sha256) != (plain.sha256, plain.bytes_sha256)
