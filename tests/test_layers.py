# SPDX-License-Identifier: GPL-2.0-only
"""Who may import whom, and how large a file may grow."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kassay"
EDGE = {"model", "effects", "errors", "registry"}
ALLOWED = {
    "model": {"errors"},
    "effects": {"errors"},
    "registry": {"errors"},
    "plan": {"model", "errors"},
    "analysis": {"model", "registry", "errors"},
    "report": {"model", "registry", "errors", "__init__"},
    "spec": EDGE,
    "run": EDGE,
    "journal": EDGE,
    "kernels": EDGE,
    "guest": EDGE,
    "machines": EDGE,
}
FILES = sorted(SOURCE.rglob("*.py"))


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "kassay":
            words = node.module.split(".")
            parts |= {words[1]} if len(words) > 1 else {_part(alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            parts |= {a.name.split(".")[1] for a in node.names if a.name.startswith("kassay.")}
    return parts


def _part(name: str) -> str:
    return name if (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").exists() else "__init__"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_part_imports_only_what_it_may(path: Path) -> None:
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part in ALLOWED:
        assert imported_parts(path) <= ALLOWED[part] | {part}
    assert "commands" not in imported_parts(path) or part in ("commands", "cli")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_python_file_outgrows(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 80, node.name


@pytest.mark.parametrize("path", [*ROOT.glob("guest/**/*.[ch]")], ids=lambda p: str(p.relative_to(ROOT)))
def test_no_c_file_outgrows(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 500


def test_every_source_file_names_its_licence() -> None:
    files = (*FILES, *ROOT.glob("guest/**/*.[ch]"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("scripts/*"))
    bare = [p for p in files if "SPDX-License-Identifier: GPL-2.0-only" not in p.read_text()[:120]]
    assert bare == []
