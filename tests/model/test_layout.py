# SPDX-License-Identifier: GPL-2.0-only
"""Tables: which columns are of figures, wherever the names stand and whatever they are."""

from kassay.model.records import from_json, to_json
from kassay.model.texts import Table, cells, figures, table


def test_columns_of_figures_are_found_wherever_they_stand() -> None:
    made = table("t", ("kernel", *figures("value", "n"), "verdict", *figures("p")), [cells("a", "1", "2", "-", "0.5")])
    assert made.numeric == (1, 2, 4)
    assert made.columns == ("kernel", "value", "n", "verdict", "p")
    assert {type(name) for name in made.columns} == {str}
    assert from_json(to_json(made), Table) == made
