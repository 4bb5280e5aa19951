# SPDX-License-Identifier: GPL-2.0-only
"""Blocks and a timing file become the core model's program: fused, eliminated, unknown and system instructions."""

from collections import Counter

import msgspec
import pytest

from kassay.errors import BadInput
from kassay.labs.predict import core
from kassay.labs.predict.decode import FIRST_DECODER, SPLIT, UNREADABLE, facts
from kassay.labs.predict.forms import Entries
from kassay.labs.predict.static import program_text
from kassay.labs.predict.timing import Timing, timing_for, timings
from kassay.labs.predict.trace import Trace, TraceBlock, read_trace
from tests.predict.trace_stream import steps
from tests.predict.traces import recorded


def traced(*instructions: str, target: str = "x86_64") -> Trace:
    """One block of instructions in hexadecimal."""
    codes = [bytes.fromhex(code) for code in instructions]
    block = TraceBlock(id=0, start=4096, lengths=bytes(map(len, codes)), code=b"".join(codes))
    return Trace(target=target, intervals=2, rounds=(1,), blocks=(block,), complete_rounds=(1,), cut=False, stream=0)


def lines(*instructions: str, timing: Timing | None = None) -> list[list[str]]:
    text, _ = program_text(traced(*instructions), timing or timing_for("zen4"), lambda start: 7)
    return [line.split() for line in text.splitlines()]


def test_a_block_has_its_address_and_function() -> None:
    head, first = lines("480307")
    assert head == ["b", "0", "4096", "1", "7"]
    assert first == ["i", "3", "plain", "1", "1", "0", "7", "0", "0,64,65", "8", "0", "fx1/70x1", "0", "68", "1"]


def test_a_comparison_and_its_branch_are_one_micro_operation() -> None:
    _, first, second = lines("4839d8", "7500")
    assert (first[3], second[2:5], second[11]) == ("1", ["branch", "0", "0"], "-")


@pytest.mark.parametrize(("cpu", "uops"), [("zen4", "0"), ("skylake_sp", "1")])
def test_memory_and_an_immediate_fuse_on_amd_alone(cpu: str, uops: str) -> None:
    assert lines("48833805", "7500", timing=timing_for(cpu))[2][3] == uops


@pytest.mark.parametrize(("cpu", "uops"), [("zen4", "1"), ("skylake_sp", "0")])
def test_an_addition_fuses_on_intel_alone(cpu: str, uops: str) -> None:
    assert lines("4801d8", "7500", timing=timing_for(cpu))[2][3] == uops


@pytest.mark.parametrize(("cpu", "kind"), [("zen4", "move"), ("icelake_sp", "plain")])
def test_a_copy_is_a_move_where_the_cpu_eliminates_it(cpu: str, kind: str) -> None:
    assert lines("4889c3", timing=timing_for(cpu))[1][2] == kind


@pytest.mark.parametrize(
    ("code", "skylake", "zen4"),
    [
        ("480107", ("2", 4), ("1", 4)),  # add [rdi], rax
        ("48010487", ("2", SPLIT), ("1", 0)),  # add [rdi + rax * 4], rax
        ("83050800000001", ("3", 0), ("1", 0)),  # add dword [rip + 8], 1
        ("48ff07", ("3", 68), ("1", 68)),  # inc qword [rdi]
        ("483b07", ("1", 68), ("1", 68)),  # cmp rax, [rdi]
        ("483b0487", ("1", SPLIT), ("1", 0)),  # cmp rax, [rdi + rax * 4]
        ("48030487", ("1", 0), ("1", 0)),  # add rax, [rdi + rax * 4]
        ("48890487", ("1", 0), ("1", 0)),  # mov [rdi + rax * 4], rax
        ("c7050800000001000000", ("2", 0), ("1", 0)),  # mov dword [rip + 8], 1
        ("f0480107", ("8", 68), ("1", 68)),  # lock add [rdi], rax
    ],
)
def test_micro_operations_depend_on_the_address_on_intel(
    code: str, skylake: tuple[str, int], zen4: tuple[str, int]
) -> None:
    for cpu, expected in (("skylake_sp", skylake), ("cascadelake_sp", skylake), ("zen4", zen4)):
        line = lines(code, timing=timing_for(cpu))[1]
        assert (line[3], int(line[13]) & ~FIRST_DECODER) == expected, cpu


def test_an_atomic_is_marked_and_comes_from_an_override() -> None:
    timing = timing_for("skylake_sp")
    assert lines("f0480fb13e", timing=timing)[1][2:6] == ["plain", "10", "0", "1"]


def test_a_system_instruction_has_its_own_cycles() -> None:
    timing = timing_for("zen4")
    assert lines("0f22d8")[1][2] == "flush_all"
    assert float(lines("0f22d8")[1][12]) == timing.system["mov_cr3"].value


def test_an_instruction_without_data_is_named_counted_and_unknown() -> None:
    timing = timing_for("zen4")
    bare = msgspec.structs.replace(timing, instructions={}, overrides=())
    text, missing = program_text(traced("480307", "480307", "480307", "c3"), bare, lambda start: 0)
    assert missing == {"add r64,m64": 3}
    assert [line.split()[2] for line in text.splitlines()[1:]] == ["unknown", "unknown", "unknown", "return"]
    assert text.splitlines()[1].split()[11] == timing.unknown["load"][2]


def test_the_first_bytes_of_an_instruction_that_another_block_executes_are_no_missing_form() -> None:
    timing = timing_for("zen4")
    assert program_text(traced("480307", "410f"), timing, lambda start: 0)[1] == {}
    assert program_text(traced("06", "480307"), timing, lambda start: 0)[1] == {"(unreadable)": 1}


def test_a_form_of_another_size_serves_for_one_without_data() -> None:
    timing = timing_for("zen4")
    entries = {"add r32,r32": timing.instructions["add r32,r32"]}
    text, missing = program_text(
        traced("4801d8"), msgspec.structs.replace(timing, instructions=entries, overrides=()), lambda start: 0
    )
    assert not missing and " plain 1 1 " in text


def test_a_cpu_of_another_architecture_is_refused() -> None:
    with pytest.raises(BadInput, match="zen4: a CPU for x86_64, but the trace is of aarch64"):
        program_text(traced("480307", target="aarch64"), timing_for("zen4"), lambda start: 0)


@pytest.mark.slow
@pytest.mark.parametrize("release", ("6.16", "6.17"))
def test_the_core_model_reads_the_program_of_a_real_trace(release: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    data = recorded(release)
    trace, timing = read_trace(data), timing_for("zen4")
    text, missing = program_text(trace, timing, lambda start: 0)
    total = sum(len(block.lengths) for block in trace.blocks)
    assert sum(missing.values()) <= total / 1000
    path = tmp_path / "trace"
    path.write_bytes(data)
    found = core.replay(timing.params_text(), text, path)
    assert sum(row.instructions for row in found.intervals) > 1000
    unknown = sum(row.cycles100 for row in found.rows if row.cause == "unknown")
    assert unknown <= sum(row.cycles100 for row in found.rows) / 1000


@pytest.mark.slow
def test_of_what_a_kernel_executes_hardly_anything_is_without_data() -> None:
    trace = recorded("6.17")
    executed = Counter(step.block for step in steps(trace))
    times: Counter[str] = Counter()
    for block in read_trace(trace).blocks:
        for one in facts("x86_64", block.code, block.lengths):
            if not one.system and one.kind == "plain" and one.form != UNREADABLE:
                times[one.form] += executed[block.id]
    assert times.total() > 50_000
    for name, path in timings().items():
        if '\narch = "x86_64"\n' in path.read_text():
            entries = Entries(timing_for(name))
            without = {form: count for form, count in times.items() if entries.of(form) is None}
            assert sum(without.values()) < times.total() / 1000, (name, without)


def test_an_instruction_that_is_left_out_is_known_by_its_own_address_and_joins_no_other() -> None:
    instructions = traced("480307", "4839d8", "7500")
    text, _ = program_text(instructions, timing_for("zen4"), lambda start: 7, lambda at, _: at == 4096 + 3)
    _, first, second, third = (line.split() for line in text.splitlines())
    assert (first[2], second[2], third[2]) == ("plain", "removed", "branch")
    assert third[3] == "1"  # a micro-operation of its own
