# SPDX-License-Identifier: GPL-2.0-only
"""Annotations that a diff adds are found where they are code, and nowhere else."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.tools.series.annotations import WORDS, Annotation, Place, added, put_on, taken_back

CALL = "\tif (x)\n\t\treturn foo(x);\n"


def diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/mm/x.c", "b/mm/x.c")
    return "".join(lines)


def names(old: str, new: str) -> list[tuple[str, str]]:
    return [(one.word, one.function) for one in added(diff(old, new))]


def test_a_word_on_a_definition_is_found_with_its_function() -> None:
    assert names("static int foo(int a)\n", "static __always_inline int foo(int a)\n") == [("__always_inline", "foo")]
    assert names("int x;\n", "static noinline_for_stack\nstruct page *bar(void)\n") == [("noinline_for_stack", "bar")]


def test_prototype_and_definition_are_one_annotation() -> None:
    old = "static int foo(int a);\n\n\n\n\n\n\n\n\n\nstatic int foo(int a)\n{\n}\n"
    new = old.replace("static int", "static __always_inline int")
    (one,) = added(diff(old, new))
    assert [place.line for place in one.places] == [1, 11]
    assert taken_back(new, one) == old


def test_a_line_that_changes_otherwise_adds_no_annotation() -> None:
    assert names("static inline int foo(int a)\n", "static inline int foo(int a, int b)\n") == []


def test_a_function_that_moves_adds_no_annotation() -> None:
    function = "static inline int foo(int a)\n{\n\treturn a;\n}\n"
    filler = "".join(f"int x{i};\n" for i in range(20))
    assert names(function + filler, filler + function) == []


def test_a_hint_that_a_line_has_twice_is_taken_back_twice() -> None:
    old, new = "\tif (a && b)\n", "\tif (likely(a) && likely(b))\n"
    (one,) = added(diff(old, new))
    assert ([place.line for place in one.places], taken_back(new, one)) == ([1, 1], "\tif ((a) && (b))\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\tif (likely(n == 1))\n", "\tif (likely(n == 2))\n"),
        ("\tif (unlikely(!p))\n", "\tif (a)\n\t\tb();\n\telse if (unlikely(!page))\n"),
        ("\tif (likely(a) && likely(b))\n", "\tif (likely(a) &&\n\t    likely(b + 1))\n"),
    ],
)
def test_a_hint_that_was_there_before_is_not_added(old: str, new: str) -> None:
    assert names(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("\tif (likely(a) && (b))\n", "\tif (likely(a) && likely(b))\n", "likely"),
        ("\tif ((a) && likely(b))\n", "\tif (likely(a) && likely(b))\n", "likely"),
        ("\tif (likely(a))\n", "\tif (unlikely(a))\n", "unlikely"),
        ("static inline int foo(int a)\n", "static __always_inline int foo(int a)\n", "__always_inline"),
        ("static inline int foo(int a)\n", "static noinline int foo(int a)\n", "noinline"),
        ("static __hot int foo(int a)\n", "static __cold int foo(int a)\n", "__cold"),
        (
            "static int foo(int);\nstatic inline int foo(int a)\n",
            "static __always_inline int foo(int);\nstatic __always_inline int foo(int a)\n",
            "__always_inline",
        ),
    ],
)
def test_what_is_taken_back_leaves_the_line_of_the_base(old: str, new: str, word: str) -> None:
    (one,) = added(diff(old, new))
    assert (one.word, taken_back(new, one)) == (word, old)


def test_a_hint_is_replaced_on_its_own_line_although_another_line_gets_the_old_one() -> None:
    old, new = "\tif (likely(a))\n\t\tb();\n", "\tif (unlikely(a))\n\t\tlikely(b());\n"
    assert [taken_back(new, one) for one in added(diff(old, new))] == [
        "\tif (likely(a))\n\t\tlikely(b());\n", "\tif (unlikely(a))\n\t\t(b());\n",
    ]  # fmt: skip


def test_a_word_of_another_kind_is_not_replaced() -> None:
    (one,) = added(diff("static __pure int foo(int a)\n", "static noinline int foo(int a)\n"))
    assert taken_back("static noinline int foo(int a)\n", one) == "static int foo(int a)\n"


def test_words_in_comments_and_strings_are_not_code() -> None:
    new = '/* inline foo() */\n * noinline bar()\n// __cold x()\nchar *s = "inline f()";\n'
    assert names("", new) == []


def test_a_hint_is_found_at_its_place_and_taken_back() -> None:
    new = CALL.replace("(x)\n", "(likely(x))\n")
    (one,) = added(diff(CALL, new))
    assert (one.word, one.places) == ("likely", (Place(1, 5),))
    assert taken_back(new, one) == CALL
    (other,) = added(diff("", "x = likely(y) && z;"))
    assert taken_back("x = likely(y) && z;", other) == "x = (y) && z;"


def test_a_call_of_an_annotated_name_is_no_declaration() -> None:
    assert names("", '\tx = inline_map(y);\n\tpr_info("x");\n') == []


def test_an_annotation_goes_onto_the_base_where_the_function_is() -> None:
    one = Annotation(path="mm/x.c", word="__always_inline", function="foo", places=())
    assert put_on("static inline int foo(int a)\n", "", one) == "static __always_inline int foo(int a)\n"
    assert put_on("void foo(void)\n", "", one) == "__always_inline void foo(void)\n"
    assert put_on("\treturn foo(a);\n", "", one) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("static __always_inline int foo(int a)\n", "static noinline int foo(int a)\n"),
        ("static noinline_for_stack int foo(int a)\n", "static inline int foo(int a)\n"),
        ("static __always_inline int foo(int a)\n", "static inline int foo(int a)\n"),
        ("__hot int foo(int a)\n", "__cold int foo(int a)\n"),
        ("static noinline __hot int foo(int a)\n", "static __always_inline __hot int foo(int a)\n"),
        ("static int __hot foo(int a)\n", "static __cold int foo(int a)\n"),
        ("static __always_inline\nint foo(int a)\n", "static\nnoinline int foo(int a)\n"),
        ("static inline int foo(int);\nstatic noinline int foo(int a)\n",
         "static __always_inline int foo(int);\nstatic __always_inline int foo(int a)\n"),
    ],
)  # fmt: skip
def test_an_annotation_alone_on_the_base_replaces_what_it_replaces_in_the_series(old: str, new: str) -> None:
    (one,) = added(diff(old, new))
    assert put_on(old, new, one) == new


def test_an_annotation_that_the_base_has_on_the_line_before_is_not_put_on_again() -> None:
    one = Annotation(path="mm/x.c", word="noinline", function="foo", places=())
    assert put_on("static noinline\nint foo(int a)\n", "", one) is None
    assert put_on("EXPORT_SYMBOL(noinline);\nint foo(int a)\n", "", one) is not None


@given(st.sampled_from(WORDS), st.sampled_from(["int", "struct page *", "void"]), st.booleans())
def test_what_is_put_on_can_be_taken_back(word: str, kind: str, long: bool) -> None:
    old = f"static {kind} foo(int a,\n\t\tint b)\n{{\n}}\n" if long else f"static {kind} foo(int a)\n{{\n}}\n"
    blank = Annotation(path="mm/x.c", word=word, function="foo", places=())
    new = put_on(old, "", blank)
    assert new is not None
    (one,) = added(diff(old, new))
    assert (one.word, one.function) == (word, "foo")
    assert taken_back(new, one) == old
