# SPDX-License-Identifier: GPL-2.0-only
"""Executed instructions get their lines from a real program, and costs of functions get theirs from these."""

from pathlib import Path

import pytest

from kassay.effects import process
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profile.functions import executed_in_region, profile_of
from kassay.evidence.profile.line_table import (
    Resolver,
    addresses_of,
    executed_lines,
    named_frames,
    read_table,
    table_bytes,
)
from kassay.evidence.profile.lines import SourceFrame
from kassay.evidence.profile.raw import parse
from kassay.model.lines import Frame, LineTable
from tests.building.test_line_tables import linked
from tests.profile.files import KERNEL, NOP, REP_MOVSB, RET, File, report, symbols
from tests.profile.test_lines import instructions_of

INNER = Frame(function="pte_val", file="include/linux/pgtable.h", line=7)
MIDDLE = Frame(function="change_pte_range", file="mm/mprotect.c", line=30)
OUTER = Frame(function="change_protection", file="mm/mprotect.c", line=90)


def table(*places: tuple[int, int]) -> LineTable:
    return LineTable(version=1, chains=((INNER, MIDDLE, OUTER), (OUTER,), (MIDDLE, OUTER)), places=places)


def test_addresses_become_frames_with_paths_from_the_top_of_the_sources(tmp_path: Path) -> None:
    program = linked(tmp_path, "-g1")
    addresses = instructions_of(program, "called")
    found = Resolver(program, "x86_64").table(addresses)
    assert found is not None and read_table(table_bytes(found)) == found
    assert [address for address, _ in found.places] == sorted(addresses)
    frames = {frame for chain in found.chains for frame in chain}
    assert {frame.file for frame in frames} <= {"mm/a.c", "mm/twice.h"}
    assert any(len(chain) == 2 and chain[0].function == "twice" for chain in found.chains)


def test_an_address_is_asked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = linked(tmp_path, "-g1")
    addresses = sorted(instructions_of(program, "called"))
    resolver = Resolver(program, "x86_64")
    resolver.table(addresses[1:])
    asked: list[int] = []

    def only_asked(_program: str, _elf: Path, new: list[int]) -> list[list[SourceFrame]]:
        asked.extend(new)
        return [[SourceFrame("called", None, None)] for _ in new]

    monkeypatch.setattr("kassay.evidence.profile.line_table.frames_at", only_asked)
    assert resolver.table(addresses) is not None
    assert asked == addresses[:1]


def test_a_host_without_the_program_gives_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find", lambda _: None)
    assert Resolver(tmp_path, "x86_64").table((1,)) is None


def test_a_damaged_table_is_refused() -> None:
    with pytest.raises(ProfileError, match="line table"):
        read_table(b'{"version":1}')


def test_line_is_executed_if_an_inlined_instruction_ran() -> None:
    lines = executed_lines(table((16, 0), (20, 1)), {16})
    assert lines == {"include/linux/pgtable.h": {7}, "mm/mprotect.c": {30, 90}}
    assert executed_lines(table((16, 0), (20, 1)), {20, 99}) == {"mm/mprotect.c": {90}}


def test_the_frame_that_names_an_instruction_is_the_innermost_of_a_c_file() -> None:
    assert named_frames(table((16, 0), (20, 1))) == {16: MIDDLE, 20: OUTER}


def test_costs_of_a_function_add_up_from_its_lines_string_iterations_and_cut_blocks_included() -> None:
    """A block of two instructions, the second of which was not reached twice, and a repeated string instruction."""
    file = File()
    block, again = file.block(KERNEL, NOP, RET), file.block(KERNEL + 4, REP_MOVSB)
    file.count(block, 7)
    file.count(file.stop(block, 1), 2)
    file.count(again, 40)
    file.count(file.iteration(again), 38)
    raw, names = parse(file.bytes()), symbols((KERNEL, 0x10, "change_protection"))
    lines = table((KERNEL, 0), (KERNEL + 1, 1), (KERNEL + 4, 2))
    found = profile_of(raw, names, report(52), phase="work", rounds=(0,), kernel="k", run="r", lines=lines)
    (cost,) = found.functions
    counts = {(one.function, one.line): one.count for one in cost.lines}
    assert counts == {("change_pte_range", 30): 7 + 40, ("change_protection", 90): 5}
    assert sum(counts.values()) == cost.instructions + cost.iterations == 52
    assert addresses_of(raw) == {KERNEL, KERNEL + 1, KERNEL + 4}
    assert executed_in_region(raw) == addresses_of(raw)


def test_an_instruction_that_never_ran_is_not_executed_and_a_table_with_gaps_explains_nothing() -> None:
    file = File()
    block = file.block(KERNEL, NOP, RET)
    file.count(block, 3)
    file.count(file.stop(block, 1), 3)
    raw, names = parse(file.bytes()), symbols((KERNEL, 0x10, "change_protection"))
    assert executed_in_region(raw) == {KERNEL}
    found = profile_of(raw, names, report(3), phase="work", rounds=(0,), kernel="k", run="r", lines=table())
    assert found.functions[0].lines == ()


def test_a_copy_that_the_compiler_made_of_a_function_has_the_name_in_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = SourceFrame("shrink_folio_list.constprop.0", "/x/kassay-0123456789abcdef/../mm/vmscan.c", 9)
    monkeypatch.setattr("kassay.evidence.profile.line_table.frames_at", lambda *_: [[frame]])
    found = Resolver(tmp_path, "x86_64").table((16,))
    assert found is not None
    assert found.chains == ((Frame(function="shrink_folio_list", file="mm/vmscan.c", line=9),),)
