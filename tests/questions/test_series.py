# SPDX-License-Identifier: GPL-2.0-only
"""A series as a cover letter has it: every row that was asked for, and only sentences that the figures carry."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from kassay.model.lines import NO_CODE, NOT_EXECUTED, Reached
from kassay.model.series import Series, SeriesRow, SeriesTable, SeriesValue
from kassay.questions.series import cover_table, legend, series_sentences, where_lines
from kassay.report.mail.headline import headline
from tests.report.rendering import rendered
from tests.report.row_reports import ROWS, SERIES, TABLE, series


def said() -> str:
    return " ".join(series_sentences("Toggling", SERIES, TABLE))


def test_the_whole_is_said_first_with_its_verdict() -> None:
    assert said().startswith(
        "Toggling: the whole series changes it by -14.3 %, 700 to 600 instructions/page: improvement."
    )


def test_the_patch_that_does_it_is_named() -> None:
    assert "Patch 2 (mm/mprotect: specialise order 0) does all of it: -101, -14.4 %." in said()
    assert "No difference beyond the margin from patch 1." in said()


def test_neutral_patches_are_told_from_harmful_ones() -> None:
    assert "It costs less without hunk 2.1 (-40, -6.7 %)." in said()
    assert "Can be left out" not in said()


def test_rows_without_figures_are_counted_with_their_reasons() -> None:
    assert "No figures for 2 of 8 rows (without 1: the rest of the series changes the same lines" in said()


def test_the_table_has_every_row_whatever_became_of_it() -> None:
    rows = {row[0].text: [cell.text for cell in row] for row in cover_table(SERIES, TABLE).rows}
    assert list(rows) == [row.name for row in ROWS]
    assert rows["whole"] == ["whole", "600", "-101", "-14.4 %", "improvement", "-14.3 %", "improvement", "2"]
    assert rows["without 2"][4] == "= 1"
    assert rows["without a1"][4] == "not-built"


def test_the_legend_explains_names_and_fates() -> None:
    told = legend(SERIES)
    assert "without a1: __always_inline of foo(), mm/mprotect.c; mm/mprotect.c:12: error: x" in told
    assert "whole: with patch 2, mm/mprotect: specialise order 0" in told


def test_functions_are_told_of_rows_that_changed() -> None:
    assert where_lines(SERIES, TABLE) == ["whole: change_pte_range -101", "without hunk 2.1: change_pte_range -40"]


def test_a_mail_has_the_table_in_72_columns_and_is_about_the_whole() -> None:
    text = rendered("mail", "series")
    assert max(map(len, text.splitlines())) <= 76
    assert "without hunk 2.1    560  " in text
    found = headline(series())
    assert found is not None and found.finding.sides[1].kernel == "whole"


@pytest.mark.parametrize("form", ["terminal", "markdown", pytest.param("html", marks=pytest.mark.slow), "mail", "json"])
def test_every_format_has_the_figures_of_the_whole(form: str) -> None:
    assert "specialise order 0" in rendered(form, "series")


def value(row: str, verdict: str, delta: float = 0.0) -> SeriesValue:
    return SeriesValue(row=row, value=700.0 + delta, change=delta / 700, delta=delta, to_base=delta / 700,
                       verdict=verdict, evidence="exact", n=2, base_verdict=verdict)  # fmt: skip


def three(
    outcomes: dict[str, str], same: dict[str, str], *values: SeriesValue, unmap: Sequence[SeriesValue] = ()
) -> str:
    """Sentences on three patches with these fates and figures. unmap: values of a second phase."""
    kinds = {"base": "base", "1": "cumulative", "1..2": "cumulative", "whole": "cumulative"}
    names = ("base", "1", "1..2", "whole", "without 1", "without 2", "without 3")
    against = {"1": "base", "1..2": "1", "whole": "1..2"}
    patches = {"1": (1,), "1..2": (1, 2), "whole": (1, 2, 3)}
    rows = tuple(
        SeriesRow(name=name, kind=kinds.get(name, "without"), title=name, patches=patches.get(name, ()),
                  against=against.get(name, "whole"), outcome=outcomes.get(name, "measured"),
                  same_as=same.get(name, ""),
                  tree=same[name] if outcomes.get(name) == "same-source" else name)
        for name in names
    )  # fmt: skip
    patch = SERIES.patches[0]
    series_ = Series(base="build:x", patches=tuple(replace(patch, number=n) for n in (1, 2, 3)), rows=rows)
    base = replace(value("base", ""), delta=None, change=None, to_base=None)
    table: SeriesTable = replace(TABLE, values=(base, *values))
    other = replace(table, metric="unmap", primary=False, values=(base, *unmap))
    series_ = replace(series_, tables=(table, other) if unmap else (table,))
    return " ".join(series_sentences("Toggling", series_, table))


LAST = {"without 3": "same-source"}


def test_a_patch_that_brings_back_an_earlier_kernel_takes_the_patches_between_back() -> None:
    text = three({"whole": "same-image", **LAST}, {"whole": "1", "without 3": "1..2"},
                 value("1", "improvement", -70.0), replace(value("1..2", "regression", 80.0), value=710.0))  # fmt: skip
    assert "Patch 1 (mm/mprotect: split) does all of it: -70" in text
    assert "Patch 3 takes back patch 2 and restores the kernel of row 1 (-80, -11.3 %)." in text
    assert "costs more" not in text and "No difference" not in text


def test_a_series_that_takes_all_back_gives_no_patch_a_share() -> None:
    text = three({"whole": "same-source", **LAST}, {"whole": "base", "without 3": "1..2"},
                 value("1", "improvement", -70.0), value("1..2", "equivalent", -70.0))  # fmt: skip
    assert "Patch 3 takes back patches 1 and 2 and restores the base kernel (+70, +11.1 %)." in text
    assert "of it" not in text and "No difference beyond the margin from patch 2." in text


def test_a_patch_that_makes_the_kernel_of_the_row_before_takes_nothing_back() -> None:
    text = three({"1..2": "same-image", "whole": "same-image", **LAST}, {"1..2": "1", "whole": "1", "without 3": "1"},
                 value("1", "improvement", -70.0))  # fmt: skip
    assert "No difference beyond the margin from patches 2 and 3." in text and "takes back" not in text


def test_a_figure_of_two_patches_is_not_given_to_the_last_of_them() -> None:
    text = three({"1..2": "not-built", **LAST}, {"without 3": "1..2"},
                 value("1", "equivalent"), value("whole", "regression", 70.0))  # fmt: skip
    assert "Patches 2 and 3, which have one figure together, do all of it" in text
    assert "It costs more from patches 2 and 3" in text
    assert "Patch 3" not in text


def test_nothing_can_be_left_out_of_a_whole_that_has_no_figure() -> None:
    text = three({"whole": "not-built", **LAST}, {"without 3": "1..2"},
                 value("1", "equivalent"), value("1..2", "improvement", -70.0),
                 value("without 1", "equivalent"))  # fmt: skip
    assert "no figure for the whole series" in text
    assert "left out" not in text


def test_the_last_patch_can_be_left_out_when_it_changes_nothing() -> None:
    text = three(LAST, {"without 3": "1..2"}, value("1", "improvement", -70.0), value("1..2", "equivalent"),
                 value("whole", "equivalent"), value("without 1", "regression", 70.0),
                 value("without 2", "equivalent"))  # fmt: skip
    assert "for this workload: patch 2 and patch 3." in text


def test_a_patch_that_changes_another_phase_cannot_be_left_out() -> None:
    rows = ("1", "1..2", "whole", "without 1", "without 2")
    same = tuple(value(row, "equivalent") for row in rows)
    assert "for this workload: patch 1, patch 2 and patch 3." in three(LAST, {"without 3": "1..2"}, *same)
    unmap = [value(row, "equivalent") for row in rows]
    unmap[1] = value("1..2", "improvement", -18.0)
    unmap[4] = value("without 2", "regression", 18.0)
    text = three(LAST, {"without 3": "1..2"}, *same, unmap=unmap)
    assert "Phase unmap: the whole series changes it by 0 %" in text
    assert "for this workload: patch 1 and patch 3." in text


def test_a_patch_without_code_of_its_own_is_named() -> None:
    """Its kernel may still be another one: what the compiler did around it."""
    same = [value(row, "equivalent") for row in ("1", "1..2", "whole")]
    text = three(LAST, {"without 3": "1..2"}, same[0], replace(same[1], changed=NO_CODE), same[2])
    assert "No changed line has code of its own in these kernels: patch 2." in text


IDLE = {"changed": NOT_EXECUTED, "base_changed": NOT_EXECUTED}
MOVE = Reached(function="move_ptes", workloads=("mremap_move",), count=1, kernel="7.3")


def test_a_patch_whose_lines_never_ran_is_not_equivalent_and_cannot_be_left_out() -> None:
    text = three(LAST, {"without 3": "1..2"}, value("1", "improvement", -70.0),
                 replace(value("1..2", "equivalent"), elsewhere=(MOVE,), **IDLE), value("whole", "equivalent"),
                 value("without 1", "regression", 70.0), replace(value("without 2", "equivalent"), **IDLE))  # fmt: skip
    assert "Patch 2: not executed in the measured part. move_ptes() is executed by mremap_move (on 7.3)." in text
    assert "No difference beyond the margin from patch 3." in text
    assert "for this workload: patch 3." in text


def test_a_patch_whose_lines_never_ran_is_named_once_and_not_again_for_each_phase() -> None:
    idle = replace(value("1..2", "equivalent"), **IDLE)
    values = (value("1", "improvement", -70.0), idle, value("whole", "equivalent"))
    text = three(LAST, {"without 3": "1..2"}, *values, unmap=values)
    assert "Phase unmap:" in text and text.count("not executed in the measured part") == 1


def test_a_last_patch_whose_lines_never_ran_cannot_be_left_out_either() -> None:
    text = three(LAST, {"without 3": "1..2"}, value("1", "equivalent"), value("1..2", "equivalent"),
                 replace(value("whole", "equivalent"), **IDLE), value("without 1", "regression", 70.0),
                 value("without 2", "regression", 70.0))  # fmt: skip
    assert "Patch 3: not executed in the measured part." in text
    assert "left out" not in text


def test_a_whole_series_that_never_ran_is_said_to_be_so() -> None:
    text = three(LAST, {"without 3": "1..2"}, *(replace(value(row, "equivalent"), **IDLE) for row in
                 ("1", "1..2", "whole", "without 1", "without 2")))  # fmt: skip
    assert "its changed lines were not executed in the measured part." in text
    assert "no difference" not in text and "left out" not in text


def test_one_patch_that_never_ran_has_the_workloads_that_run_it() -> None:
    rows = tuple(replace(row, against="base") if row.name == "whole" else row for row in ROWS if row.name != "1")
    rows = tuple(row for row in rows if row.kind in ("base", "cumulative"))
    whole = replace(value("whole", "equivalent"), elsewhere=(MOVE,), **IDLE)
    table = replace(TABLE, values=(TABLE.values[0], whole))
    text = " ".join(series_sentences("Toggling", replace(SERIES, rows=rows, tables=(table,)), table))
    assert "not executed in the measured part" in text and text.endswith(
        "move_ptes() is executed by mremap_move (on 7.3)."
    )


def test_a_change_of_cost_stands_even_if_no_changed_line_ran() -> None:
    text = three(LAST, {"without 3": "1..2"}, replace(value("1", "regression", 70.0), **IDLE),
                 value("1..2", "equivalent"), value("whole", "equivalent"))  # fmt: skip
    assert "Patch 1 (mm/mprotect: split) does all of it" in text and "not executed" not in text
    assert "No changed line of patch 1 ran. Code around them may be new, or they set a default." in text


def test_a_part_without_which_the_kernel_is_the_same_is_no_part_of_its_code() -> None:
    text = three({"without 2": "same-image", **LAST}, {"without 2": "whole", "without 3": "1..2"},
                 value("1", "equivalent"), value("1..2", "equivalent"), value("whole", "equivalent"),
                 value("without 1", "regression", 70.0))  # fmt: skip
    assert "No part of this kernel's code: patch 2." in text
    assert "for this workload: patch 3." in text


def test_a_patch_that_a_later_one_takes_back_is_named_as_such() -> None:
    text = three({"without 1": "same-source"}, {"without 1": "whole"}, value("1", "regression", 70.0),
                 value("1..2", "regression", 70.0), value("whole", "regression", 70.0))  # fmt: skip
    assert "The rest of the series takes back patch 1." in text
    assert "No part of this kernel's code" not in text


def test_the_table_says_not_executed_in_place_of_equivalent() -> None:
    idle = replace(TABLE, values=(TABLE.values[0], replace(value("1", "equivalent"), **IDLE)))
    rows = {row[0].text: [cell.text for cell in row] for row in cover_table(SERIES, idle).rows}
    assert (rows["1"][4], rows["1"][6]) == ("not executed", "not executed")


def test_a_mail_that_names_the_patch_does_not_call_the_commit_unknown() -> None:
    text = " ".join(rendered("mail", "series").split())
    assert "Patch 2" in text and "Which commit did it" not in text


def test_a_reader_is_given_the_command_that_makes_all_rows() -> None:
    text = " ".join(rendered("mail", "series").replace("\\\n", " ").split())
    assert "kassay series" in text
    assert "--base 'build:~/linux@v7.0' --patches series.mbx" in text
    assert "kassay compare" not in text


def test_a_patch_that_does_more_than_the_whole_has_no_share_beyond_it() -> None:
    text = three(LAST, {"without 3": "1..2"}, value("1", "regression", 90.0), value("1..2", "improvement", -80.0),
                 value("whole", "equivalent"))  # fmt: skip
    assert "does more than all of it" in text
