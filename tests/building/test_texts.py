# SPDX-License-Identifier: GPL-2.0-only
"""Trees that differ in texts alone give one kernel."""

from pathlib import Path

import pytest

from kassay.supply.building.source import change_kernel, without_texts
from tests.building._repository import tree_of

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache")]
REST = {"mm/a.c": "int a;\n", "Makefile": "all:\n"}


@pytest.mark.parametrize(
    ("path", "is_built"),
    [
        ("Documentation/mm/x.rst", False),
        ("MAINTAINERS", False),
        ("CREDITS", False),
        (".mailmap", False),
        ("Documentation/x.txt", False),
        (".gitignore", False),
        ("tools/objtool/.gitignore", False),
        ("Documentation/Kconfig", True),
        ("mm/MAINTAINERS", True),
        ("mm/x.rst", True),
        ("mm/Makefile", True),
        ("tools/objtool/check.c", True),
    ],
)
def test_no_kernel_is_built_from_texts(tmp_path: Path, path: str, is_built: bool) -> None:
    trees = [tree_of(tmp_path / str(number), {**REST, path: f"{number}\n"}) for number in range(2)]
    assert change_kernel(*trees) == is_built
    assert not change_kernel(trees[0], trees[0])
    assert (without_texts(trees[0]) != without_texts(trees[1])) == is_built
    assert (without_texts(trees[0]) != without_texts(tree_of(tmp_path / "rest", REST))) == is_built


def test_a_moved_file_and_another_mode_are_other_sources(tmp_path: Path) -> None:
    tree = tree_of(tmp_path / "one", REST)
    moved = tree_of(tmp_path / "two", {"mm/b.c": REST["mm/a.c"], "Makefile": REST["Makefile"]})
    (tmp_path / "three" / "mm").mkdir(parents=True)
    (tmp_path / "three" / "mm" / "a.c").touch(mode=0o755)
    assert len({without_texts(one) for one in (tree, moved, tree_of(tmp_path / "three", REST))}) == 3
