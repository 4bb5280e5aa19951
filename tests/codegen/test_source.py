# SPDX-License-Identifier: GPL-2.0-only
"""A source is known to define a function, or not."""

import pytest

from kassay.labs.codegen.objects import contains, nearest


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("static int f(int a)\n{\n}", True),
        ("static inline int __attribute__((x)) f(int (*g)(int), int b)\n{", True),
        ("int f(int a);", False),
        ("int g(void)\n{ return f(1); }", False),
        ("/* f(int) { */", False),
        ('char *s = "f(int) {";', False),
        ("int of(int a) {", False),
        ("if (f(1)) {", False),
        ("", False),
    ],
)
def test_a_definition_has_a_body(text: str, there: bool) -> None:
    assert contains(text, "f") is there


def test_names_that_look_alike_are_offered() -> None:
    assert nearest("mincore_pte_rnge", ["mincore_pte_range", "mmap", "mincore_pte_range.cold"]) == (
        "mincore_pte_range",
    )
