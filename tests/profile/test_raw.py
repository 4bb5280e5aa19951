# SPDX-License-Identifier: GPL-2.0-only
"""The profile stream: what was counted comes back, and what is damaged is refused with the line that is wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.evidence.profile.counters import CodeBlock, Cut, Jump, Node, ProfileError
from kassay.evidence.profile.raw import parse
from tests.profile.files import KERNEL, NOP, REP_MOVSB, RET, File, as_read, finished

SLOTS = 8


@st.composite
def files(draw: st.DrawFn) -> File:
    rounds = draw(st.integers(0, 4))
    file = File(mode=draw(st.sampled_from(("counts", "stacks", "memory"))), rounds=rounds)
    blocks = [file.block(draw(st.integers(0, 2**64 - 1)), *[NOP] * draw(st.integers(1, 5)), RET) for _ in range(3)]
    repeated = file.block(KERNEL, REP_MOVSB)
    for kind in draw(st.lists(st.sampled_from(("stop", "unknown", "iteration", "jump", "load", "store", "node")))):
        block = draw(st.sampled_from(blocks))
        if kind == "stop":
            file.stop(block, draw(st.integers(0, 1)))
        elif kind == "jump":
            file.jump(block, draw(st.sampled_from(blocks)))
        elif kind == "node":
            file.node(file.node(None, 0), draw(st.integers(1, 2**64 - 1)))
        else:
            getattr(file, kind)(repeated if kind == "iteration" else block)
    counts = st.dictionaries(st.integers(0, SLOTS - 1), st.integers(1, 2**63), max_size=3)
    counters = st.integers(0, len(file.definitions) - 1)
    for number in range(rounds + 1):
        again = number and draw(st.booleans())
        file.counts[number] = file.counts[number - 1] if again else draw(st.dictionaries(counters, counts, max_size=6))
    return file


@given(files())
def test_every_round_comes_back_as_it_was_counted(file: File) -> None:
    raw = parse(file.bytes())
    assert raw.rounds == len(file.counts) - 1
    for number, counts in enumerate(file.counts):
        wide = {counter: {as_read(slot): count for slot, count in slots.items()} for counter, slots in counts.items()}
        assert raw.counts(number) == {counter: slots for counter, slots in wide.items() if slots}


@given(files(), st.data())
def test_sums_are_those_of_the_chosen_rounds_and_intervals(file: File, data: st.DataObject) -> None:
    raw = parse(file.bytes())
    rounds = data.draw(st.sets(st.integers(0, raw.rounds)))
    intervals = data.draw(st.sets(st.integers(0, 1)))
    found = raw.sums(rounds, intervals)
    for context in range(4):
        expected: dict[int, int] = {}
        for number in rounds:
            for counter, slots in file.counts[number].items():
                for slot, count in slots.items():
                    if slot % 4 == context and slot // 4 in intervals:
                        expected[counter] = expected.get(counter, 0) + count
        assert found[context] == expected


@given(files(), st.data())
def test_a_file_cut_anywhere_is_refused(file: File, data: st.DataObject) -> None:
    whole = file.bytes()
    with pytest.raises(ProfileError, match=r"^line \d+: "):
        parse(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for text in (data, b"profile 1 counts x86_64 1 2\n" + data):
        with pytest.raises(ProfileError, match=r"^line \d+: "):
            parse(text)


def test_what_is_defined_comes_back() -> None:
    file = File(mode="stacks")
    block, rep = file.block(KERNEL, NOP, b"\x0f\x1f\x00", RET), file.block(KERNEL + 64, REP_MOVSB)
    stop, unknown, iteration = file.stop(block, 2), file.unknown(block), file.iteration(rep)
    jump, root = file.jump(block, rep), file.node(None, 0)
    node = file.node(root, KERNEL)
    load, store = file.load(block), file.store(rep)
    file.tasks = [(0, "own"), (KERNEL, "other"), (0x10, "idle")]
    halts = file.halts()
    file.lost, file.switches = 1, (7, 2)
    raw = parse(file.bytes())
    assert raw.blocks == {
        block: CodeBlock(KERNEL, b"\x01\x03\x01", b"\x90\x0f\x1f\x00\xc3"),
        rep: CodeBlock(KERNEL + 64, b"\x02", REP_MOVSB),
    }
    assert raw.cuts == {block: [Cut(stop, 2), Cut(unknown, None)]}
    assert (raw.iterations, raw.loads, raw.stores) == ({iteration: rep}, {load: block}, {store: rep})
    assert (raw.jumps, raw.nodes) == ({jump: Jump(block, rep)}, {root: Node(None, 0), node: Node(root, KERNEL)})
    assert raw.tasks == ((0, "own"), (KERNEL, "other"), (0x10, "idle"))
    assert (raw.mode, raw.target, raw.api, raw.intervals, raw.halting, raw.lost) == (
        "stacks", "x86_64", 1, 2, halts, 1,
    )  # fmt: skip
    assert (raw.switches, raw.missed) == (7, 2)


def test_locks_of_zones_are_counted_where_any_was_taken() -> None:
    lines = _lines()
    found = parse(finished([*lines, "x zone_locks 9", "x zone_handovers 4"]))
    assert (found.zone_locks, found.zone_handovers) == (9, 4)
    assert (parse(finished(lines)).zone_locks, parse(finished(lines)).zone_handovers) == (0, 0)


def test_a_file_of_an_earlier_plugin_says_nothing_of_task_switches() -> None:
    raw = parse(finished(_lines()))
    assert (raw.switches, raw.missed) == (None, None)


def _lines() -> list[str]:
    file = File(intervals=1, rounds=2)
    file.block(KERNEL, NOP, RET)
    file.count(0, 5, round=1)
    file.count(0, 5, round=2)
    return file.lines()


def test_the_sound_file_of_the_next_tests_is_read() -> None:
    assert _lines()[:6] == [
        "profile 1 counts x86_64 1 1",
        "b 0 ffffffff81000000 11 90c3",
        "r 0",
        "r 1",
        "c 0 0 5",
        "r 2",
    ]
    assert parse(finished(_lines())).counts(2) == {0: {0: 5}}


@pytest.mark.parametrize(
    ("at", "line", "told"),
    [
        (0, "profile 3 counts x86_64 1 1", "line 1: not the beginning of a profile"),
        (0, "profile 1 counts mips 1 1", "line 1: of an architecture that is not known: mips"),
        (1, "b 1 ffffffff81000000 11 90c3", "line 2: counter 1 is defined where 0 should be"),
        (1, "b 0 ffffffff81000000 12 90c3", "line 2: 3 bytes of instructions and 2 bytes of code"),
        (1, "b 0 ffffffff81000000 11 90c", "line 2: not understood"),
        (1, "b 0 0xffff81000000 11 90c3", "line 2: not understood"),
        (2, "q 7", "line 3: not understood: b'q 7'"),
        (2, "s 1 7 0", "line 3: 7 is not a block"),
        (2, "s 1 0 2", "line 3: block 0 was left after 2 of its 2 instructions"),
        (2, "i 1 0", "line 3: block 0 is not one repeated instruction"),
        (2, "u 1 1", "line 3: 1 is not a block"),
        (2, "e 1 0 3", "line 3: 3 is not a block"),
        (2, "n 1 0 ff", "line 3: 0 is not a node"),
        (2, "c 0 0 5", "line 3: a count before the first round"),
        (3, "r 2", "line 4: round 2 where 1 should be"),
        (4, "c 1 0 5", "line 5: counter 1 is not defined"),
        (4, "c 0 4 5", "line 5: counter 0: slots 4 of 4"),
        (4, "c 0 1 5 1 6", "line 5: counter 0: slots 1, 1 of 4"),
        (4, "c 0 1", "line 5: not understood"),
        (4, "c 0 1 0", "line 5: not understood"),
        (4, "c 0  1 1", "line 5: not understood"),
        (6, "t 0 foreign", "line 7: not understood"),
        (6, "k 1 0 0 1", "line 7: counter 1 is not defined"),
        (5, "k 0 2 0 1", "line 6: counter 0: slot 0 of round 2 is not over in round 2"),
        (7, "x stops 1", "line 8: not understood"),
        (8, "x lost 0", "line 9: total 'lost' appears twice"),
        (8, "x marks 3", "line 10: 3 marks in 2 rounds of 1 intervals"),
    ],
)
def test_a_wrong_line_is_named(at: int, line: str, told: str) -> None:
    lines = _lines()
    lines[at] = line
    with pytest.raises(ProfileError, match="^" + re.escape(told)):
        parse(finished(lines))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "line 1: not the beginning"),
        (finished([*_lines()[:5], "c 0 0 6", *_lines()[5:]]), "line 6: counter 0 counted twice in round 1"),
        (finished([*_lines()[:2], "h 1", "h 2", *_lines()[2:]]), "line 4: halts are defined twice"),
        (finished(_lines()[:-1]), "line 9: the file ends without the total 'marks'"),
        (finished(_lines()) + b"r 3\n", "line 11: 4 bytes after the end"),
        ("\n".join((*_lines(), "end 8", "")).encode(), "line 10: 9 lines instead of 8"),
        (finished(_lines())[:-7], "line 9: the file is cut short here: b'x marks 2'"),
    ],
)
def test_a_wrong_whole_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(ProfileError, match="^" + re.escape(told)):
        parse(data)


@given(st.integers(1, 4), st.integers(0, 7), st.integers(1, 9), st.data())
def test_a_late_count_changes_its_round_alone(number: int, slot: int, count: int, data: st.DataObject) -> None:
    file = File(rounds=4)
    block, other = file.block(KERNEL, NOP), file.block(KERNEL + 1, RET)
    for index in range(1, 5):
        if data.draw(st.booleans()):
            file.count(block, data.draw(st.integers(1, 3)), round=index, slot=data.draw(st.integers(0, 7)))
        file.count(other, 2, round=index)
    before = parse(file.bytes())
    file.count_late(block, count, round=number, slot=slot)
    after = parse(file.bytes())
    for index in range(5):
        expected = before.counts(index)
        if index == number:
            read = as_read(slot)
            expected.setdefault(block, {})[read] = expected.get(block, {}).get(read, 0) + count
        assert after.counts(index) == expected


def test_a_late_count_that_cancels_leaves_nothing() -> None:
    file = File(rounds=2)
    block = file.block(KERNEL, NOP)
    for index in (1, 2):
        file.count(block, 3, round=index)
    file.count_late(block, -3, round=1)
    raw = parse(file.bytes())
    assert raw.counts(1) == {} and raw.counts(2) == {block: {0: 3}}
