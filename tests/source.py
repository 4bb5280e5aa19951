# SPDX-License-Identifier: GPL-2.0-only
"""kassay's own source, parsed once for all tests that ask about the whole of it."""

import ast
import gc
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kassay"
FILES = sorted(SOURCE.rglob("*.py"))
N = TypeVar("N", bound=ast.AST)


def nodes(path: Path, kind: type[N]) -> list[N]:
    """Syntax nodes of one kind in a file."""
    return cast("list[N]", by_kind(path).get(kind, []))


@cache
def by_kind(path: Path) -> dict[type[ast.AST], list[ast.AST]]:
    """All syntax nodes of a file. A million objects that stay: the collector would look at them again and again."""
    gc.disable()
    try:
        found = defaultdict(list)
        todo: list[ast.AST] = [ast.parse(path.read_text())]
        for node in todo:  # ast.walk() takes three times as long
            found[type(node)].append(node)
            for value in vars(node).values():
                if isinstance(value, ast.AST):
                    todo.append(value)
                elif isinstance(value, list):
                    todo.extend(each for each in value if isinstance(each, ast.AST))
        return dict(found)
    finally:
        gc.freeze()
        gc.enable()
