# SPDX-License-Identifier: GPL-2.0-only
"""A number that a program prints otherwise on another kernel is a doubt; a time, or a number that varies, is none."""

import pytest
from msgspec import structs

from kassay.analysis.printed_rows import printed_rows
from kassay.model.printed_values import Printed
from kassay.model.reason_texts import reason_text
from kassay.model.run import CellEvidence
from tests.analysis.works import ADAPTIVE, changed, kernels, two


def printing(side: CellEvidence, *rows: Printed) -> CellEvidence:
    return structs.replace(side, measurements=tuple(structs.replace(m, printed=rows) for m in side.measurements))


def row(*values: str | None, name: str = "copied", kind: str = "number") -> Printed:
    return Printed(name=name, kind=kind, values=values)


def codes(base: Printed, head: Printed) -> tuple[str, list[str]]:
    sides = kernels(ADAPTIVE, changed(ADAPTIVE, madvise=(5, 600_000)))
    finding = two(printing(sides[0], base), printing(sides[1], head))
    return finding.evidence, [why.code for why in finding.reasons]


def test_other_numbers_are_a_doubt() -> None:
    assert codes(row("128", "128"), row("100", "100")) == ("partial", ["prints-differ"])
    sides = kernels(ADAPTIVE, changed(ADAPTIVE, madvise=(5, 600_000)))
    other = (row("1"), row("2", name="b"))
    finding = two(printing(sides[0], row("3"), row("4", name="b")), printing(sides[1], *other))
    assert (finding.verdict, reason_text(finding.reasons[0])) == (
        "regression",
        "the program prints copied 3 on 6.12, 1 on 7.3, and 1 more, so it may have done different work",
    )


def test_numbers_that_vary_a_little_and_stay_apart_are_a_doubt() -> None:
    assert codes(row("485", "484"), row("436", "435")) == ("partial", ["prints-differ"])


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (row("128", "128"), row("128", "128")),
        (row("128", "90"), row("100", "100")),
        (row("128", "127"), row("127", "126")),
        (row("128", "127", name="child_pid"), row("100", "100", name="child_pid")),
        (row("128", None), row("100", "100")),
        (row("345", kind="time"), row("400", kind="time")),
        (row("6.12", kind="word"), row("7.3", kind="word")),
        (row("128"), row("100", name="other")),
    ],
)
def test_the_same_numbers_times_words_and_numbers_that_vary_are_none(base: Printed, head: Printed) -> None:
    assert codes(base, head) == ("exact", [])


@pytest.mark.parametrize("turned", [False, True])
def test_a_name_that_is_a_number_on_one_kernel_and_a_word_on_the_other_is_a_word(turned: bool) -> None:
    """A kernel without a file made the program print its error."""
    printed = [row("absent", "failed", kind="word"), row("3", "4")]
    (found,) = printed_rows(map(printing, kernels(ADAPTIVE, ADAPTIVE), printed[::-1] if turned else printed))
    assert found.kind == "word"
    assert [value for _, value in found.values] == ["differs", "differs"]
