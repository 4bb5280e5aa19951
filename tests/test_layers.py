# SPDX-License-Identifier: GPL-2.0-only
"""Who may import whom, and how large a file may grow."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.source import FILES, ROOT, SOURCE, nodes

GROUND = {"errors", "registry", "clocks", "arches", "model", "effects"}
ALLOWED: dict[str, set[str]] = {
    "__init__": set(),
    # the ground
    "errors": set(),
    "registry": {"errors"},
    "clocks": {"errors", "registry"},
    "arches": {"errors", "registry"},
    "model": {"errors", "clocks", "arches"},
    "cpus": {"errors", "registry", "arches"},
    "applications": {"errors", "registry", "model"},
    "costs": {"errors", "registry", "model"},
    "effects": {"errors", "model"},
    # suppliers: each makes something that a run needs, from what it is given
    "archive": GROUND,
    "building": GROUND | {"archive"},
    "kernels": GROUND | {"archive", "building"},
    "guest": GROUND | {"cpus", "applications"},
    "images": GROUND | {"archive", "guest"},
    "machines": GROUND | {"cpus"},
    "profile": GROUND | {"costs"},
    "predict": GROUND | {"cpus", "profile"},
    "measured": GROUND | {"applications", "archive", "guest", "images", "profile"},
    # the street: what is asked -> what was seen -> what may be said
    "spec": GROUND | {"applications", "cpus"},
    "supply": GROUND | {"measured", "kernels", "guest", "machines"},
    "plan": {"errors", "clocks", "model"},
    "cluster": GROUND | {"machines", "__init__"},
    "run": GROUND | {"supply", "plan", "cluster", "measured", "journal", "kernels", "guest", "machines", "profile"},
    "journal": GROUND | {"spec"},
    "evidence": GROUND | {"cpus", "journal", "guest", "profile", "predict"},
    "analysis": {"errors", "model", "registry", "clocks", "costs"},
    "report": {"errors", "effects", "model", "registry", "clocks", "costs", "__init__"},
    "questions": GROUND | {"clocks", "analysis", "report", "search", "series"},
    "answers": GROUND | {"spec", "journal", "evidence", "analysis", "report", "imports", "predict"},
    "pipeline": GROUND
    | {"answers", "cluster", "spec", "supply", "plan", "run", "journal", "evidence", "analysis", "report", "guest"},
    # tools around the street
    "pcp": GROUND
    | {
        "__init__",
        "kernels",
        "guest",
        "supply",
        "plan",
        "run",
        "pipeline",
        "spec",
        "journal",
        "evidence",
        "profile",
        "codegen",
    },
    "notice": GROUND
    | {"__init__", "answers", "journal", "analysis", "profile", "supply", "plan", "run", "guest", "pcp"},
    "series": GROUND | {"kernels", "building"},
    "search": GROUND | {"kernels", "archive", "building", "journal", "evidence", "analysis", "report"},
    "codegen": GROUND,
    "imports": GROUND,
    "watch": GROUND | {"__init__", "pipeline", "spec", "journal", "evidence", "analysis", "report"},
    "history": GROUND | {"journal", "evidence", "analysis", "imports"},
    "bundle": GROUND
    | {"measured", "__init__", "spec", "journal", "evidence", "imports", "guest", "report", "pipeline"},
}
COMMANDS = {"commands", "cli"}
"""The edge: may import everything, and nothing imports it."""

MODULES = {path.relative_to(SOURCE).with_suffix("").parts for path in FILES} | {
    path.parent.relative_to(SOURCE).parts for path in FILES
}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> frozenset[tuple[str, ...]]:
    """Modules of kassay that a file imports, as words after "kassay", wherever in the file it does so."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, ...]]:
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "kassay":
            base = tuple(node.module.split(".")[1:])
            for alias in node.names:
                module = (*base, alias.name)
                yield module if module in MODULES else base or ("__init__",)
        elif isinstance(node, ast.Import):
            yield from (tuple(a.name.split(".")[1:]) for a in node.names if a.name.startswith("kassay."))


def test_a_part_imports_only_what_it_may() -> None:
    wrong = []
    for path in FILES:
        part = part_of(path)
        if part not in COMMANDS:
            found = {module[0] for module in imports(path)} - {part}
            wrong += [(path.name, other) for other in sorted(found - ALLOWED[part])]
    assert wrong == []


def test_every_part_is_in_the_map_and_still_there() -> None:
    parts = {part_of(path) for path in FILES}
    assert parts == ALLOWED.keys() | COMMANDS


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
    asking = {
        part_of(path)
        for path in FILES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr == "exact"
    }
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
        if module[0] != part_of(path) and any(word.startswith("_") and word != "__init__" for word in module)
    ]
    assert wrong == []


def test_no_python_file_or_function_outgrows() -> None:
    large = [path.name for path in FILES if len(path.read_text().splitlines()) > 400]
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 80:
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
