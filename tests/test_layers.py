# SPDX-License-Identifier: GPL-2.0-only
"""Who may import whom, and how large a file may grow."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.source import FILES, ROOT, SOURCE, by_kind, nodes

HOOKS = {"predict"}
"""The laboratory that an experiment can ask for (--predict). It is imported only then."""
GROUND = {"errors", "registry", "clocks", "arches", "model", "effects"}
ALLOWED: dict[str, set[str]] = {
    "__init__": set(),
    # the ground
    "errors": set(),
    "registry": {"errors"},
    "clocks": {"errors", "registry"},
    "arches": {"errors", "registry"},
    "model": {"errors", "registry", "clocks", "arches"},
    "cpus": {"errors", "registry", "arches"},
    "applications": {"errors", "registry", "model"},
    "costs": {"errors", "registry", "model"},
    "effects": {"errors", "model"},
    # suppliers: each makes something that a run needs, from what it is given
    "packages": GROUND,
    "archive": GROUND | {"packages"},
    "building": GROUND | {"packages", "archive"},
    "kernels": GROUND | {"packages", "archive", "building"},
    "guest": GROUND | {"cpus", "applications"},
    "images": GROUND | {"archive", "guest"},
    "machines": GROUND | {"cpus"},
    "profile": GROUND | {"costs"},
    "machine_code": GROUND,
    "measured": GROUND | {"applications", "archive", "guest", "images", "profile"},
    "prepare": GROUND | {"measured", "kernels", "guest", "machines"},
    # the street: what is asked -> what was seen -> what may be said
    "spec": GROUND | {"applications", "cpus"},
    "plan": {"errors", "clocks", "model"},
    "cluster": GROUND | {"machines", "__init__"},
    "run": GROUND | {"prepare", "plan", "cluster", "measured", "journal", "kernels", "guest", "machines", "profile"},
    "journal": GROUND | {"spec"},
    "evidence": GROUND | {"cpus", "journal", "guest", "profile", "machine_code"},
    "analysis": {"errors", "model", "registry", "clocks", "costs"},
    "report": {"errors", "effects", "model", "registry", "clocks", "costs", "__init__"},
    "questions": GROUND | {"clocks", "analysis", "report", "search", "series"},
    "answers": GROUND | {"spec", "journal", "evidence", "analysis", "report", "imports", *HOOKS},
    "pipeline": GROUND
    | {
        "answers",
        "cluster",
        "spec",
        "prepare",
        "plan",
        "run",
        "journal",
        "evidence",
        "analysis",
        "report",
        "guest",
        *HOOKS,
    },
    # tools around the street
    "series": GROUND | {"kernels", "building", "journal"},
    "search": GROUND | {"kernels", "archive", "building", "journal", "evidence", "analysis", "report"},
    "imports": GROUND,
    "recording": GROUND
    | {"prepare", "plan", "run", "spec", "kernels", "guest", "pipeline", "journal", "evidence", "profile"},
    "watch": GROUND | {"__init__", "pipeline", "spec", "journal", "evidence", "analysis", "report"},
    "history": GROUND | {"__init__", "spec", "building", "journal", "evidence", "analysis", "imports", *HOOKS},
    "atlas": GROUND | {"archive", "history"},
    "offline": GROUND | {"__init__", "measured", "prepare", "spec"},
    "storage": GROUND | {"archive", "report", "__init__"},
    "bundle": GROUND
    | {
        "measured",
        "__init__",
        "spec",
        "journal",
        "evidence",
        "imports",
        "guest",
        "kernels",
        "machines",
        "building",
        "analysis",
        "report",
        "pipeline",
    },
    # laboratories: each can be deleted
    "predict": GROUND | {"cpus", "guest", "journal", "evidence", "profile", "report"},
    "pcp": GROUND
    | {
        "__init__",
        "kernels",
        "guest",
        "prepare",
        "plan",
        "run",
        "pipeline",
        "spec",
        "journal",
        "evidence",
        "profile",
        "report",
    }
    | {"recording", "machine_code"},
    "notice": GROUND
    | {
        "__init__",
        "atlas",
        "answers",
        "journal",
        "analysis",
        "profile",
        "prepare",
        "plan",
        "run",
        "guest",
        "report",
        "recording",
    },
    "codegen": GROUND | {"machine_code", "report", "__init__"},
    "site": GROUND
    | {
        "__init__",
        "analysis",
        "answers",
        "applications",
        "bundle",
        "history",
        "journal",
        "kernels",
        "archive",
        "building",
        "pipeline",
        "prepare",
        "report",
        "search",
        "spec",
    },
    "review": GROUND
    | {
        "__init__",
        "atlas",
        "pipeline",
        "archive",
        "building",
        "kernels",
        "guest",
        "prepare",
        "spec",
        "journal",
        "evidence",
        "profile",
        "analysis",
        "report",
        "series",
    },
}
COMMANDS = {"commands", "cli", "__main__"}
"""The edge: may import everything, and nothing imports it."""

MODULES = {path.relative_to(SOURCE).with_suffix("").parts for path in FILES} | {
    path.parent.relative_to(SOURCE).parts for path in FILES
}


ROOMS = {"supply", "tools", "labs"}
"""Folders that only group parts."""
INNER = {("evidence", "profile"): "profile", ("model", "costs"): "costs"}
"""Parts that lie inside another one."""


def part_of(path: Path) -> str:
    return part(path.relative_to(SOURCE).with_suffix("").parts)


def part(module: tuple[str, ...]) -> str:
    """The part that a module, as words after "kassay", belongs to. A room's own __init__ belongs to the room."""
    if module[0] == "labs" and "commands" in module:
        return "commands"
    if module[0] in ROOMS:
        return module[1] if len(module) > 1 and module[1] != "__init__" else module[0]
    return next((name for place, name in INNER.items() if module[:2] == place), module[0])


@cache
def imports(path: Path) -> frozenset[tuple[str, ...]]:
    """Modules of kassay that a file imports, as words after "kassay", wherever in the file it does so."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, ...]]:
    for node in nodes(path, ast.ImportFrom):
        if node.module and node.module.partition(".")[0] == "kassay":
            base = tuple(node.module.split(".")[1:])
            for alias in node.names:
                module = (*base, alias.name)
                yield module if module in MODULES else base or ("__init__",)
    for plain in nodes(path, ast.Import):
        yield from (tuple(a.name.split(".")[1:]) for a in plain.names if a.name.startswith("kassay."))


def test_a_part_imports_only_what_it_may() -> None:
    wrong = []
    for path in FILES:
        own = part_of(path)
        if own not in COMMANDS | ROOMS:
            found = {part(module) for module in imports(path)} - {own}
            wrong += [(path.name, other) for other in sorted(found - ALLOWED[own])]
    assert wrong == []


def test_a_laboratory_can_be_deleted() -> None:
    """Nothing imports it but itself, except what an option imports inside of a function."""
    wrong = []
    for path in FILES:
        place = path.relative_to(SOURCE).parts
        for node in nodes(path, ast.ImportFrom):
            if not (node.module or "").startswith("kassay.labs"):
                continue
            lab = (*(node.module or "").split("."), node.names[0].name)[2]
            if place[:2] != ("labs", lab) and (node.col_offset == 0 or lab not in HOOKS):
                wrong.append(f"{path.name}:{node.lineno}: {lab}")
    assert wrong == []


def test_every_part_is_in_the_map_and_still_there() -> None:
    parts = {part_of(path) for path in FILES}
    assert parts - ROOMS == ALLOWED.keys() | COMMANDS


def test_the_source_fits_on_a_screen() -> None:
    """Without the files and directories whose names Python gives."""
    assert len([path for path in SOURCE.iterdir() if not path.name.startswith("__")]) <= 19


def test_a_room_has_no_code_of_its_own() -> None:
    for room in ROOMS:
        kinds = by_kind(SOURCE / room / "__init__.py").keys()
        assert kinds == {ast.Module, ast.Expr, ast.Constant}, room  # a docstring


def test_the_top_shows_the_street_and_nothing_else() -> None:
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    assert len(modules) <= 6, modules


def test_no_part_reaches_itself_through_others() -> None:
    reached = dict(ALLOWED)
    for _ in ALLOWED:
        reached = {part: needs.union(*(reached[other] for other in needs)) for part, needs in reached.items()}
    assert [part for part, needs in reached.items() if part in needs] == []


def test_only_clocks_know_which_of_them_are_exact() -> None:
    """Others ask for what follows: timed, counts_work, repeats_exactly, depends_on_host."""
    asking = {part_of(path) for path in FILES for node in nodes(path, ast.Attribute) if node.attr == "exact"}
    assert asking == {"clocks", "bundle"}  # bundle: whether two results must be equal to the digit


def test_no_modules_of_a_part_import_each_other_in_a_circle() -> None:
    edges = {}
    for path in FILES:
        own = path.relative_to(SOURCE).with_suffix("").parts
        own = own[:-1] if own[-1] == "__init__" and len(own) > 1 else own
        edges[own] = {module for module in imports(path) if module != own}
    TopologicalSorter(edges).prepare()  # its error names the circle


def test_a_private_module_is_imported_by_its_own_part_alone() -> None:
    wrong = [
        (str(path.relative_to(SOURCE)), ".".join(module))
        for path in FILES
        for module in imports(path)
        if part(module) != part_of(path) and any(word.startswith("_") and word != "__init__" for word in module)
    ]
    assert wrong == []


def test_no_python_file_or_function_outgrows() -> None:
    large = [path.name for path in FILES if len(path.read_text().splitlines()) > 400]
    for path in FILES:
        for node in nodes(path, ast.FunctionDef):
            if (node.end_lineno or 0) - node.lineno >= 80:
                large.append(f"{path.name}: {node.name}")
    assert large == []


def test_no_c_file_outgrows() -> None:
    roots = ("guest/**/*.[ch]", "plugin/*.[ch]", "core/**/*.[chd]*", "pcp/**/*.[chd]*")
    files = (path for root in roots for path in ROOT.glob(root))
    large = [path.name for path in files if len(path.read_text().splitlines()) > 500]
    assert large == []


def test_every_source_file_names_its_licence() -> None:
    files = (
        *FILES,
        *ROOT.glob("guest/**/*.[ch]"),
        *ROOT.glob("plugin/*.[ch]"),
        *ROOT.glob("core/**/*.[chd]*"),
        *ROOT.glob("pcp/**/*.[chd]*"),
        *ROOT.glob("tests/**/*.py"),
        *ROOT.glob("scripts/*"),
    )
    bare = [p for p in files if "SPDX-License-Identifier: GPL-2.0-only" not in p.read_text()[:120]]
    assert bare == []


def test_every_test_file_begins_with_what_it_asks() -> None:
    bare = [
        path.name for path in ROOT.glob("tests/**/test_*.py") if not path.read_text().splitlines()[1].startswith('"""')
    ]
    assert bare == []


@pytest.mark.parametrize("folder", ["core", "guest", "pcp", "plugin"])
def test_no_c_files_include_each_other_in_a_circle(folder: str) -> None:
    """A file and its header are one module, named by the file without its suffix."""
    edges: dict[str, set[str]] = {}
    for path in (ROOT / folder).rglob("*.[ch]"):
        included = re.findall(r'^#include "(?:\.\./)*(?:\w+/)*([\w-]+)\.h"', path.read_text(), re.MULTILINE)
        used = {name for name in included if name != path.stem}
        edges.setdefault(path.stem, set()).update(used)
    TopologicalSorter(edges).prepare()  # its error names the circle
