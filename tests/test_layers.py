# SPDX-License-Identifier: GPL-2.0-only
"""Who may import whom, and how large a file may grow."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "kassay"
EDGE = {"model", "effects", "errors", "registry"}
ALLOWED = {
    "model": {"errors"},
    "effects": {"errors"},
    "registry": {"errors"},
    "plan": {"model", "errors"},
    "analysis": {"model", "registry", "errors"},
    "drivers": {"model", "errors"},
    "report": {"model", "registry", "errors", "__init__"},
    "spec": EDGE,
    "run": EDGE,
    "journal": EDGE,
    "imports": EDGE,
    "kernels": EDGE | {"building"},
    "building": EDGE | {"kernels"},  # the archive, which both read
    "guest": EDGE,
    "machines": EDGE,
    "profile": EDGE,
    "codegen": EDGE,
    "history": EDGE,
    "bundle": EDGE,
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


def test_a_part_imports_only_what_it_may() -> None:
    wrong = []
    for path in FILES:
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        imported = imported_parts(path)
        if not imported <= ALLOWED.get(part, imported) | {part}:
            wrong.append((path.name, imported - ALLOWED[part]))
        if "commands" in imported and part not in ("commands", "cli"):
            wrong.append((path.name, {"commands"}))
    assert wrong == []


def test_no_python_file_or_function_outgrows() -> None:
    large = [path.name for path in FILES if len(path.read_text().splitlines()) > 400]
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 80:
                large.append(f"{path.name}: {node.name}")
    assert large == []


def test_no_c_file_outgrows() -> None:
    files = (*ROOT.glob("guest/**/*.[ch]"), *ROOT.glob("plugin/*.[ch]"))
    large = [path.name for path in files if len(path.read_text().splitlines()) > 500]
    assert large == []


def test_every_source_file_names_its_licence() -> None:
    files = (
        *FILES,
        *ROOT.glob("guest/**/*.[ch]"),
        *ROOT.glob("plugin/*.[ch]"),
        *ROOT.glob("tests/**/*.py"),
        *ROOT.glob("scripts/*"),
    )
    bare = [p for p in files if "SPDX-License-Identifier: GPL-2.0-only" not in p.read_text()[:120]]
    assert bare == []
