# SPDX-License-Identifier: GPL-2.0-only
"""Functions of a round and of all rounds add up to what the blocks of the stream count."""

from hypothesis import given

from kassay.evidence.profile.costs import costs, times
from kassay.evidence.profile.counters import CONTEXTS_IN_FILE
from kassay.evidence.profile.place import placed
from kassay.evidence.profile.raw import parse
from kassay.evidence.profile.totals import totals
from tests.profile.files import KERNEL, NOP, RET, File, symbols
from tests.profile.test_raw import files

TABLE = symbols((KERNEL, 1, "alpha"), (KERNEL + 1, 0x10, "beta"))


@given(files())
def test_the_functions_of_a_round_cost_what_its_blocks_count(file: File) -> None:
    raw = parse(file.bytes())
    blocks, found = placed(raw, TABLE), totals(raw)
    for number in range(raw.rounds + 1):
        for interval in range(raw.intervals):
            sums = raw.sums([number], [interval])
            made = costs(raw, blocks, sums, [times(raw, counts) for counts in sums])
            slots = range(CONTEXTS_IN_FILE * interval, CONTEXTS_IN_FILE * (interval + 1))
            counted = sum(found.user[number][slot] + found.kernel[number][slot] for slot in slots)
            assert sum(cost.instructions + cost.iterations for cost in made) == counted


@given(files())
def test_a_round_counts_by_itself_what_it_counts_among_the_others(file: File) -> None:
    found = totals(parse(file.bytes()))
    for number, counts in enumerate(file.counts):
        alone = File(mode="counts", rounds=0)
        alone.definitions, alone.counts = file.definitions, [counts]
        one = totals(parse(alone.bytes()))
        assert [table[0] for table in one] == [table[number] for table in found]


def test_a_block_left_at_an_unknown_place_counts_nothing_and_may_have_counted_all() -> None:
    file = File(rounds=3)
    block = file.block(KERNEL, NOP, NOP, RET)
    unknown = file.unknown(block)
    for number in (1, 2):
        file.count(block, 5, round=number)
        file.count(unknown, 2, round=number)
    found = totals(parse(file.bytes()))
    assert [row[0] for row in found.kernel] == [0, 9, 9, 0]
    assert [row[0] for row in found.unknown] == [0, 6, 6, 0]
