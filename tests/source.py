# SPDX-License-Identifier: GPL-2.0-only
"""kassay's own source, parsed once for all tests that ask about the whole of it."""

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kassay"
FILES = sorted(SOURCE.rglob("*.py"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Syntax nodes of a file. A million objects that stay: the collector would look at them again and again."""
    gc.disable()
    try:
        return tuple(ast.walk(ast.parse(path.read_text())))
    finally:
        gc.freeze()
        gc.enable()
