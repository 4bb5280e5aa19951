# SPDX-License-Identifier: GPL-2.0-only
"""Hunks of two trees with the lines that have code, from real trees and a real program."""

from pathlib import Path

import pytest

from kassay.model.lines import NO_SOURCE, NOT_COMPILED, NOTHING_OF_ITS_OWN, SourcePart
from kassay.supply.building import changes
from kassay.supply.building.changes import function_at
from tests.building._repository import tree_of
from tests.building.test_line_tables import HEADER, SOURCE, linked


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def parts(tmp_path: Path, before: dict[str, str], after: dict[str, str]) -> tuple[SourcePart, ...]:
    trees = tree_of(tmp_path / "one", before), tree_of(tmp_path / "two", after)
    (tmp_path / "base").mkdir()
    (tmp_path / "head").mkdir()
    programs = (
        linked(tmp_path / "base", "-g1", source=before["mm/a.c"]),
        linked(tmp_path / "head", "-g1", source=after["mm/a.c"]),
    )
    return changes.parts(*trees, *programs)[0]


FILES = {"mm/a.c": SOURCE, "mm/twice.h": HEADER, "mm/other.c": "int x;\n", "Documentation/x.rst": "Text.\n"}


def test_a_changed_line_is_found_with_its_function_and_a_comment_has_no_code(tmp_path: Path) -> None:
    after = SOURCE.replace("shared += a;", "shared += a + 1;\n\tshared ^= 7;").replace("/* A comment", "/* One comment")
    comment, code = parts(tmp_path, FILES, {**FILES, "mm/a.c": after})
    assert (comment.lines, comment.code, comment.reason) == ((3,), (), NOTHING_OF_ITS_OWN)
    assert (code.function, code.lines, code.removed) == ("called", (9, 10), (9,))
    assert code.removed_code == (9,) and code.code and set(code.code) <= {9, 10}


def test_a_pure_removal_has_lines_of_base_only(tmp_path: Path) -> None:
    (part,) = parts(tmp_path, FILES, {**FILES, "mm/a.c": SOURCE.replace("\tshared += a;\n", "")})
    assert (part.lines, part.code, part.removed, part.removed_code) == ((), (), (9,), (9,))


def test_each_function_of_a_hunk_is_a_part_of_its_own(tmp_path: Path) -> None:
    """Two new functions are one hunk: that the first one ran says nothing of the second."""
    bodies = ("__attribute__((noinline)) int one(int a)\n{\n\treturn a ^ shared;\n}\n",
              "int two(int a)\n{\n\treturn a * shared;\n}\n")  # fmt: skip
    both = "\n" + "\n".join(bodies)
    after = SOURCE.replace("#ifdef NEVER", f"{both}\n#ifdef NEVER")
    found = parts(tmp_path, FILES, {**FILES, "mm/a.c": after})
    assert [(part.function, part.lines) for part in found] == [
        ("one", (12, 13, 14, 15, 16)),
        ("two", (17, 18, 19, 20, 21, 22)),
    ]
    assert [min(part.code) for part in found] == [15, 20]


def test_a_renamed_function_is_gone_under_its_old_name(tmp_path: Path) -> None:
    after = {**FILES, "mm/a.c": SOURCE.replace("called(int a)", "named(int a)").replace("called(argc)", "named(argc)")}
    new, old, _ = parts(tmp_path, FILES, after)
    assert [(new.function, new.lines, new.removed), (old.function, old.lines, old.removed)] == [
        ("named", (5,), ()),
        ("called", (), (5,)),
    ]
    trees = tree_of(tmp_path / "one", FILES), tree_of(tmp_path / "two", after)
    assert changes.changed_functions(*trees) == (("mm/a.c", "named"), ("mm/a.c", "called"), ("mm/a.c", "main"))


def test_a_hunk_outside_of_functions_is_of_its_patch(tmp_path: Path) -> None:
    texts = (
        "int key = 0;\n\nint b(int x)\n{\n\treturn key;\n}\n",
        "int key = 1;\n\nint b(int x)\n{\n\treturn key;\n}\n",
    )
    trees = [tree_of(tmp_path / str(number), {"mm/b.c": text}) for number, text in enumerate(texts)]
    changed = changes.changed_functions(*trees)
    assert changed == (("mm/b.c", ""),) and changes.names_in_kernels(changed, "x86_64") == ()


def test_what_is_not_compiled_and_what_is_no_source_say_so(tmp_path: Path) -> None:
    after = {**FILES, "mm/other.c": "int y;\n", "Documentation/x.rst": "Words.\n"}
    text, other = parts(tmp_path, FILES, after)
    assert (text.path, text.reason) == ("Documentation/x.rst", NO_SOURCE)
    assert (other.path, other.reason) == ("mm/other.c", NOT_COMPILED)


def test_a_header_of_macros_is_not_called_left_out(tmp_path: Path) -> None:
    """Line tables do not name it, whether a compiled file includes it or not."""
    (part,) = parts(tmp_path, FILES, {**FILES, "include/linux/limits.h": "#define LIMIT 4\n"})
    assert (part.path, part.reason) == ("include/linux/limits.h", NOTHING_OF_ITS_OWN)


def test_trees_of_different_releases_are_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST_FILES", 1)
    with pytest.raises(changes.TooMany):
        parts(tmp_path, FILES, {**FILES, "mm/a.c": SOURCE + "\n", "mm/other.c": "int y;\n"})


@pytest.mark.parametrize(
    ("line", "function"),
    [(2, "one"), (5, "one"), (6, "one"), (7, "one"), (8, ""), (9, ""), (12, "two"), (16, "__do_sys_munlock")],
)
def test_the_function_of_a_line_is_not_a_label_or_a_prototype(line: int, function: str) -> None:
    text = """\
static int
one(struct page *page,
    int order)
{
out:
\treturn 1; }
}
int proto(int x);
/* A comment on two (). */
__attribute__((noinline)) static void two(void)
{
\tif (x)
}

SYSCALL_DEFINE2(munlock, unsigned long, start, size_t, len)
{
"""
    assert function_at(text.split("\n"), line) == function


@pytest.mark.parametrize(
    ("line", "function"),
    [(1, ""), (2, ""), (4, ""), (6, ""), (8, ""), (11, ""), (12, ""), (14, "body"), (16, "body"), (17, "body"),
     (19, ""), (20, "copy"), (22, "copy"), (24, "copy"), (25, "")],
)  # fmt: skip
def test_a_line_behind_a_declaration_or_an_empty_function_is_in_none(line: int, function: str) -> None:
    text = """\
int proto(struct page *page,
\t  int order);

#define LIMIT 4
static inline void stub(int order) { } /* nothing */
static const int batch = 8;
DEFINE_FREE(bitmap, unsigned long *, if (_T) bitmap_free(_T))

static int other(void); /* below */
static DEFINE_PER_CPU(struct x, y) = {
\t.a = 1,
};

int body(int x)

{
\treturn x;
}
int after;
SYM_FUNC_START(copy)
\tmovq %rdi, %rax

\tRET
SYM_FUNC_END(copy)
EXPORT_SYMBOL(copy)
"""
    assert function_at(text.split("\n"), line) == function


@pytest.mark.parametrize(
    ("path", "arch", "named"),
    [
        ("mm/b.c", "x86_64", True),
        ("arch/x86/mm/b.c", "x86_64", True),
        ("arch/arm64/mm/b.c", "x86_64", False),
        ("arch/arm64/mm/b.c", "arm64", True),
        ("tools/testing/selftests/mm/b.c", "x86_64", False),
        ("Documentation/mm/b.rst", "x86_64", False),
    ],
)
def test_functions_that_no_kernel_has_are_left_out(tmp_path: Path, path: str, arch: str, named: bool) -> None:
    """A text may look like C: "Entries take 4 KB (" is no function."""
    texts = ("static int b(int x)\n{\n\treturn 1;\n}\n", "static int b(int x)\n{\n\treturn 2;\n}\n")
    trees = [tree_of(tmp_path / str(number), {path: text}) for number, text in enumerate(texts)]
    changed = changes.changed_functions(trees[0], trees[1])
    assert changes.names_in_kernels(changed, arch) == (("b",) if named else ())
    assert changed == ((path, "" if path.endswith(".rst") else "b"),)
