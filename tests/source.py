# SPDX-License-Identifier: GPL-2.0-only
"""kassay's own source, parsed once for all tests that ask about the whole of it."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kassay"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """What a file consists of."""
    return tuple(ast.walk(ast.parse(path.read_text())))
