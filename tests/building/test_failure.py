# SPDX-License-Identifier: GPL-2.0-only
"""The first error of a log; tests/data/building holds what make, gcc, clang, as and ld printed.

In header and tool only the name of what is missing was exchanged.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.supply.building.kbuild import first_error

DATA = Path(__file__).parents[1] / "data" / "building"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gcc", "undeclared_thing"),
        ("clang", "undeclared_thing"),
        ("as", "no such instruction"),
        ("ld", "undefined reference to `g'"),
        ("header", "install libelf-dev"),
        ("tool", "flex"),
        ("norule", "No rule to make target 'nosuch.c'"),
    ],
)
def test_the_first_error_of_a_real_log_is_named(name: str, words: str) -> None:
    said = first_error((DATA / f"{name}.log").read_text())
    assert words in said
    assert "Error 1" not in said


def test_a_warning_before_an_error_is_not_the_error() -> None:
    log = "a.c:1:1: warning: unused\nb.c:2:3: error: no\nc.c:1:1: error: later\nmake: *** [Makefile:1: b.o] Error 1\n"
    assert first_error(log) == "b.c:2:3: error: no"


def test_only_makes_farewell_still_names_the_target() -> None:
    assert first_error("make[2]: *** [scripts/Makefile.build:287: mm/x.o] Error 2\n") == "mm/x.o: Error 2"


def test_a_missing_tool_names_its_package() -> None:
    log = "  LEX     scripts/kconfig/lexer.lex.c\n/bin/sh: 1: flex: not found\nmake[1]: *** [x] Error 127\n"
    assert first_error(log).endswith("install flex")


@given(st.text())
def test_any_text_gives_words(log: str) -> None:
    assert first_error(log)
