# SPDX-License-Identifier: GPL-2.0-only
"""Tables of functions: as printed, their columns add up."""

from decimal import Decimal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.analysis.attribution import itemise
from kassay.model.finding import Attribution, AttributionRow
from kassay.model.profile import Profile
from kassay.model.reason import own_words
from kassay.model.records import Setting
from kassay.model.texts import Table
from kassay.report.itemised import (
    ItemisedDifference,
    difference,
    differences,
    full_table,
    functions_text,
    functions_text_at,
    profile_table,
    top_table,
)
from tests.analysis.profiles import BASE, HEAD, Counts, cost, profile, value
from tests.report.reports import SAMPLES, UNIT

counts: st.SearchStrategy[Counts] = st.dictionaries(
    st.sampled_from((*"abcdefgh", "a@interrupt", "main@user")), st.tuples(st.integers(0, 10**5), st.integers(0, 50))
)  # fmt: skip


def of(base: Profile, head: Profile) -> ItemisedDifference:
    return ItemisedDifference(
        base="a", head="b", metric="iteration", unit=UNIT, base_value=value(base), head_value=value(head),
        itemised=itemise(base, head, value(base), value(head), unit=UNIT),
    )  # fmt: skip


def printed(table: Table, name: str) -> list[Decimal]:
    """A column's figures; what was not executed is nothing."""
    index = table.columns.index(name)
    texts = [row[index].text.replace(" ", "") for row in table.rows]
    return [Decimal(0 if text == "-" else text) for text in texts]


def names(table: Table) -> list[str]:
    return [row[0].text for row in table.rows]


@given(counts, counts, st.integers(1, 60), st.integers(1, 60), st.integers(0, 4), st.integers(0, 99))
def test_every_printed_column_adds_up(
    base: Counts, head: Counts, per_base: int, per_head: int, limit: int, unresolved: int
) -> None:
    d = of(profile(base, operations=per_base, idle=3), profile(head, operations=per_head, unresolved=unresolved))
    for table in (top_table(d, limit), full_table(d)):
        for name in ("base", "head", "difference"):
            *parts, total = printed(table, name)
            assert sum(parts) == total


@given(counts, st.integers(1, 60), st.integers(0, 4), st.integers(0, 99), st.integers(0, 99))
def test_one_profiles_printed_column_adds_up(functions: Counts, per: int, limit: int, idle: int, left: int) -> None:
    table = profile_table(profile(functions, operations=per, idle=idle, unresolved=left), UNIT, limit)
    *parts, total = printed(table, "cost")
    assert sum(parts) == total


def test_a_row_takes_the_rounding_only_where_it_is_needed() -> None:
    thirds = profile({"f": (1003, 1), "g": (1003, 1), "h": (1003, 1)}, operations=3 * 3)
    table = profile_table(thirds, UNIT, 0)
    assert names(table) == ["f", "g", "h", "unattributed", "rounding", "total"]
    assert [row[1].text for row in table.rows] == ["111.4", "111.4", "111.4", "0.0", "0.1", "334.3"]
    assert "rounding" not in names(profile_table(HEAD, UNIT, 0)) + names(full_table(of(BASE, HEAD)))
    both = top_table(of(profile({"k": (10, 1)}, operations=1), thirds), 0)
    assert [cell.text for cell in both.rows[-2]][:4] == ["rounding", "0.00", "0.1", "+0.1"]


def test_a_group_is_indented_below_its_root_with_its_sum() -> None:
    table = top_table(of(BASE, HEAD))
    assert names(table) == [
        "change_protection", "└ prot_commit_flush_ptes", "└ change_pte_range", "└ vm_normal_page", "└ pte_val",
        "2 more functions", "unattributed", "total",
    ]  # fmt: skip
    assert [cell.text for cell in table.rows[0]] == ["change_protection", "270.3", "0.2", "-270.1", "+394.1", "0.001"]
    assert [cell.text for cell in table.rows[1]][1:] == ["-", "328.0", "+328.0", "", "0 → 2"]
    assert [cell.text for cell in table.rows[-1]][1:4] == ["300.6", "694.7", "+394.1"]


def test_a_group_stands_where_its_sum_puts_it() -> None:
    alone = "prot_commit_flush_ptes"
    more = msgspec.structs.replace(HEAD, functions=(*HEAD.functions, cost("large", 300_000, 1)), ticks=994_700)
    table = top_table(of(BASE, more))
    assert names(table).index("large") > names(table).index(f"└ {alone}")
    more = msgspec.structs.replace(HEAD, functions=(*HEAD.functions, cost("large", 400_000, 1)), ticks=1_094_700)
    assert names(top_table(of(BASE, more)))[0] == "large"


def test_unchanged_functions_are_left_out_unless_all_are_asked_for() -> None:
    same = of(BASE, BASE)
    assert names(top_table(same)) == ["3 more functions", "unattributed", "total"]
    assert "measure (user)" in names(top_table(same, 0))


def test_only_functions_of_the_contexts_asked_for_are_shown_and_the_others_counted() -> None:
    table = top_table(of(BASE, HEAD), 0, ("user",))
    assert names(table) == ["measure (user)", "6 more functions", "unattributed", "total"]
    assert names(profile_table(HEAD, UNIT, 0, ("user",))) == [
        "measure (user)",
        "6 more functions",
        "unattributed",
        "total",
    ]


def test_string_iterations_are_shown_where_they_changed() -> None:
    strings = msgspec.structs.replace(profile({}), functions=(cost("clear_page_erms", 10, 10, 40_950),), ticks=40_960)
    table = top_table(of(profile({}), strings))
    assert table.columns[-1] == "string iterations"
    assert table.rows[0][-1].text == "0 → 4 095"
    assert "string iterations" not in top_table(of(BASE, HEAD)).columns


def test_a_module_is_named_beside_its_function() -> None:
    module = msgspec.structs.replace(profile({}), functions=(msgspec.structs.replace(cost("f", 10), place="xfs"),))
    assert names(profile_table(module, UNIT, 0))[0] == "f [xfs]"


def test_the_whole_table_has_every_function_and_says_which_group() -> None:
    table = full_table(of(BASE, HEAD))
    assert len(table.rows) == 7 + 2 and table.folded
    group, place = table.columns.index("group"), table.columns.index("place")
    assert [row[group].text for row in table.rows] == ["1"] * 5 + [""] * 4
    assert [row[place].text for row in table.rows if row[0].text == "measure"] == ["program"]


def test_a_finding_says_its_sentence_or_why_there_is_none() -> None:
    finding = SAMPLES["compare"]().findings[0]
    assert functions_text(finding).startswith("+371 instructions/page: prot_commit_flush_ptes +328")
    without = msgspec.structs.replace(finding, attribution=None, profile_note=own_words("the run carries none\n"))
    assert functions_text(without) == r"no itemised difference: the run carries none\n"
    assert functions_text(msgspec.structs.replace(without, profile_note=None)) == ""
    assert difference(without) is None


@pytest.mark.parametrize("verdict", ["contaminated", "incomplete"])
def test_a_refused_comparison_itemises_nothing(verdict: str) -> None:
    report = SAMPLES["compare"]()
    refused = msgspec.structs.replace(report.findings[0], verdict=verdict)
    assert len(differences(report)) == 1
    assert differences(msgspec.structs.replace(report, findings=(refused,))) == ()


def test_sentences_and_tables_of_a_matrix_say_which_point_they_are_about() -> None:
    report = SAMPLES["compare"]()
    first = report.findings[0]
    other = msgspec.structs.replace(first, settings=(Setting(name="size", value="1GiB"), *first.settings[1:]))
    both = msgspec.structs.replace(report, findings=(first, other))
    assert functions_text_at(first, both).startswith("size=64MiB share=shared: +371 ")
    assert functions_text_at(first, report).startswith("+371 ")
    titles = [top_table(d).title for d in differences(both)]
    assert titles[1] == f"iteration: {first.base} against {first.head} (size=1GiB share=shared) [{UNIT}]"


def test_a_reason_stands_without_the_kernels_it_names_itself() -> None:
    report = SAMPLES["ladder"]()
    step = next(f for f in report.findings if f.attribution is not None)
    assert functions_text_at(step, report).startswith(f"{step.base} to {step.head}: +371 ")
    bare = msgspec.structs.replace(step, attribution=None, profile_note=own_words("no profile", "r9"))
    assert functions_text_at(bare, report) == "no itemised difference: r9: no profile"


def test_a_function_that_replaces_another_stands_above_it_with_their_sum() -> None:
    rows = (
        AttributionRow(function="mod_state", base=0, head=130, delta=130, head_calls=9, replaces=1),
        AttributionRow(function="__mod_state", base=120, head=0, delta=-120, base_calls=9),
        AttributionRow(function="f", base=10, head=40, delta=30),
    )
    itemised = Attribution(total=40, rows=rows, unattributed=0)
    d = ItemisedDifference(base="a", head="b", metric="m", unit="i", base_value=130, head_value=170, itemised=itemised)
    shown = [[cell.text for cell in row] for row in top_table(d, 2).rows]
    assert [row[0] for row in shown] == ["f", "mod_state", "└ __mod_state", "unattributed", "total"]
    assert [row[4] for row in shown[:3]] == ["", "+10.0", ""]
