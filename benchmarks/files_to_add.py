# SPDX-License-Identifier: GPL-2.0-only
"""How many source files have to be touched to add one question, workload, clock, ... to a checkout of kassay.

usage: python -m benchmarks.files_to_add [CHECKOUT ...] [--kind NAME] [--list]

For each kind it counts the files that a member consists of ("own": the median of the members), and every other file of
src/kassay, guest and plugin that tells the kind's members apart ("others"): whoever adds a member has to look at each
of these, and to change most of them. Tests and documentation are not counted. Nothing of a checkout is executed or
imported. A member's own files are found by their names; the patterns in KINDS are for every layout there has been.

A Python file tells members apart where it
  compares: a member's name is compared with something of the kind, or is a pattern of `match`;
  lists:    names of several members stand in one tuple, list or set, or a name is the key of a dictionary or an index;
  imports:  a member's own module is imported by its name;
  asks:     a part of a report that only some questions have is read (report.gaps);
  prints:   a text has three members within a line's length, two where names have no other meaning; docstrings are no
            texts, but for those of commands, which are help.
For costs it is a sum of the counters that a cost is made of. A C file, Makefile, template or configuration tells
members apart where the name of one, which is a word of no other meaning, stands outside of comments.
A boolean that stands for a clock (timed) is not recognised, so figures are rather too low than too high.
"""

import argparse
import ast
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

TEXTS = {".c", ".h", ".S", ".j2", ".js", ".config", ".toml", "Makefile"}
LIST_CHARACTERS = 80
QUESTIONS = ("compare", "ladder", "gap", "series", "bisect", "value")


@dataclass(frozen=True)
class Kind:
    """Names of the members of a kind, and the places where to look for them."""

    name: str
    own: tuple[str, ...]
    """Patterns of the paths of a member's own files, one for each layout. The first that fits anything is used.

    NAME stands for the name of the member. Paths begin with src, guest or plugin.
    """
    members: tuple[str, ...] = ()
    """Names that `found` does not find."""
    found: tuple[str, ...] = ()
    """Globs of files whose stems are the names."""
    about: str = "."
    """Pattern of the source of a comparison that is about this kind."""
    ambiguous: tuple[str, ...] = ()
    """Names with other meanings. They count only beside `about`, or beside several of their kind."""
    also: dict[str, str] = field(default_factory=dict)
    """Other names of members."""
    parts: tuple[str, ...] = ()
    """Attributes of a report."""
    apart: str = ""
    """Pattern of files that look as if they were of this kind and are not."""
    without: tuple[str, str] | None = None
    """(folder, kind). In a checkout without the folder, members have the names of that kind and share its places."""
    summed: bool = False
    several: int = 2
    """Number of names in one place that make a list."""


KINDS = (
    Kind(
        "question",
        own=(r"src/(?!report/series\.py|drivers/|(tools/)?search/)(.*/)?((\w*_)?NAME(_\w+)?\.py|NAME/\w+\.py)",),
        members=QUESTIONS,
        about="question",
        ambiguous=QUESTIONS,
        also={"bisection": "bisect", "bisecting": "bisect"},
        parts=("ladder", "ladders", "gap", "gaps", "series", "bisection"),
        # Values in a row, of any question; and what is part of one question under another name.
        apart=r"src/(report/series|(drivers|(tools/)?search)/\w+|candidates|probing|searchlog|rows)\.py",
        several=3,
    ),
    Kind("workload", own=(r"guest/workloads/NAME\.\w+",), found=("guest/workloads/*.c",)),
    Kind(
        "application",
        own=(r"src/(supply/)?applications/NAME\.py",),
        found=("src/kassay/applications/*.py", "src/kassay/supply/applications/*.py"),
    ),
    Kind(
        "clock",
        own=(r"src/(supply/)?clocks/NAME\.py", r"src/(supply/)?machines/(qemu_)?NAME\.py"),
        members=("icount", "tcg", "kvm", "host"),
        about="clock",
        ambiguous=("host",),
        apart=r"src/(supply/)?machines/[a-z]\w*\.py",  # a machine names its clock
    ),
    Kind(
        "machine",
        own=(r"src/(supply/)?machines/NAME\.py",),
        found=("src/kassay/machines/*.py", "src/kassay/supply/machines/*.py",),
        about="machine|backend",
        ambiguous=("host",),
        without=("src/kassay/supply/clocks", "clock"),
    ),
    Kind(
        "architecture",
        own=(r".*\b(\w+-)?NAME(_\w+)?\.\w+",),
        members=("x86_64", "arm64"),
        also={"x86": "x86_64", "amd64": "x86_64", "__x86_64__": "x86_64", "EM_X86_64": "x86_64",
              "aarch64": "arm64", "__aarch64__": "arm64", "EM_AARCH64": "arm64"},
    ),
    Kind(
        "report format",
        own=(r"src/report/(formats|writers)/NAME\.py",),
        found=("src/kassay/report/formats/*.py", "src/kassay/report/writers/*.py"),
        about="form|suffix|chosen",
        ambiguous=("terminal", "json", "html", "mail", "csv", "lkp", "pyperf"),
    ),
    Kind(
        "importer",
        own=(r"src/(tools/)?imports/formats/NAME\.py",),
        found=("src/kassay/imports/formats/*.py", "src/kassay/tools/imports/formats/*.py",),
        about="importer|form|tool",
        ambiguous=("pyperf",),
    ),
    Kind("gate rule", own=(r"src/analysis/gate/NAME\.py",), found=("src/kassay/analysis/gate/*.py",)),
    Kind(
        "cost",
        own=(r"src/(model/)?costs/NAME\.py", r"src/(evidence/)?profile/costs\.py"),
        members=("instructions", "iterations"),
        summed=True,
    ),
    Kind(
        "command",
        own=(r"src/commands/NAME\.py",),
        found=("src/kassay/commands/*.py",),
        about="command|verb",
        ambiguous=("*",),
        several=3,
    ),
)  # fmt: skip


class Seen(NamedTuple):
    """Place where a file tells members apart."""

    line: int
    """Counted from 1."""
    how: str
    """Word of the module's docstring."""
    what: str
    """Names of the members."""


class Count(NamedTuple):
    """Files of one kind in one checkout."""

    own: dict[str, list[str]]
    """Files of each member."""
    others: dict[str, list[Seen]]
    """Places in each other file that tell members apart, by path."""

    @property
    def own_median(self) -> int:
        sizes = [len(paths) for paths in self.own.values() if paths]
        return round(statistics.median(sizes)) if sizes else 0


def sources(checkout: Path) -> dict[str, Path]:
    """Short path -> file, of everything that a version of kassay is made of; src/kassay is called src."""
    found = {}
    for short, root in (
        ("src", checkout / "src" / "kassay"),
        *((name, checkout / name) for name in ("guest", "plugin")),
    ):
        for path in sorted(root.rglob("*")):
            if path.is_file() and (path.suffix in (*TEXTS, ".py") or path.name in TEXTS):
                found[f"{short}/{path.relative_to(root)}"] = path
    return found


def count(kind: Kind, checkout: Path) -> Count:
    """The files that adding a member of the kind touches."""
    files = sources(checkout)
    spelt = {
        name: (name, *(other for other, of in kind.also.items() if of == name)) for name in _members(kind, checkout)
    }
    own = next(filter(any, (_own(pattern, spelt, files) for pattern in kind.own)), [])
    members = {path for paths in own for path in paths}
    words = frozenset(word for spellings in spelt.values() for word in spellings)
    unclear = words if "*" in kind.ambiguous else words & set(kind.ambiguous)
    modules = frozenset(_module(path) for path in members)
    others = {}
    for path, file in files.items():
        if path in members or re.fullmatch(kind.apart, path):
            continue
        if file.suffix == ".py":
            seen = sorted(set(_Reader(kind, words, unclear, modules, path).read(file.read_text())))
        else:
            seen = [] if kind.summed else list(_in_text(file.read_text(), words - unclear))
        if seen:
            others[path] = seen
    if kind.without is not None and not (checkout / kind.without[0]).exists():
        (other,) = (one for one in KINDS if one.name == kind.without[1])
        others = {
            path: seen for path, seen in {**count(other, checkout).others, **others}.items() if path not in members
        }
    return Count(dict(zip(spelt, own, strict=False)), others)


def _members(kind: Kind, checkout: Path) -> tuple[str, ...]:
    """Questions are commands, too, and are not counted twice."""
    paths = [path for pattern in kind.found for path in checkout.glob(pattern)]
    stems = sorted({path.stem for path in paths if not path.stem.startswith("_")} - set(QUESTIONS))
    return kind.members or tuple(stems)


def _own(pattern: str, spelt: dict[str, tuple[str, ...]], files: dict[str, Path]) -> list[list[str]]:
    """The own files of each member."""
    names = ["|".join(map(re.escape, spellings)) for spellings in spelt.values()]
    patterns = [re.compile(pattern.replace("NAME", f"({name})")) for name in names]
    return [[path for path in files if one.fullmatch(path)] for one in patterns]


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def _in_text(text: str, words: frozenset[str]) -> Iterator[Seen]:
    bare = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#(?!\s*(if|el|define|include))[^\n]*", _lines_only, text, flags=re.S | re.M)
    for number, line in enumerate(bare.splitlines(), 1):
        found = sorted(set(re.findall(r"\w+", line)) & words)
        if found:
            yield Seen(number, "text", " ".join(found))


def _lines_only(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


class _Reader:
    """Finds in one Python file where members of one kind are told apart."""

    def __init__(self, kind: Kind, words: frozenset[str], unclear: frozenset[str], modules: frozenset[str], path: str):
        self.kind, self.words, self.unclear, self.modules = kind, words, unclear, modules
        self.is_command = path.startswith("src/commands/")

    def read(self, text: str) -> Iterator[Seen]:
        """Places in a file's text that tell members apart."""
        tree = ast.parse(text)
        docstrings = set() if self.is_command else set(_docstrings(tree))
        for node in ast.walk(tree):
            if self.kind.summed:
                yield from self._sums(node)
                continue
            yield from self._compares(node)
            yield from self._lists(node)
            yield from self._imports(node)
            yield from self._asks(node)
            if isinstance(node, ast.Constant) and node not in docstrings:
                yield from self._prints(node)

    def _names(self, nodes: Sequence[ast.AST | None]) -> list[str]:
        """The members that are named by these nodes: strings, or tuples of strings."""
        found = []
        for node in nodes:
            if isinstance(node, ast.Constant) and node.value in self.words:
                found.append(str(node.value))
            elif isinstance(node, ast.Tuple | ast.List | ast.Set):
                found += self._names(node.elts)
        return found

    def _clear(self, names: Sequence[str], context: str) -> bool:
        """True if these are members, and not other things of the same name."""
        if any(name not in self.unclear for name in names) or len(set(names)) >= self.kind.several:
            return True
        return bool(names) and re.search(self.kind.about, context) is not None

    def _compares(self, node: ast.AST) -> Iterator[Seen]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = self._names(sides)
            if names and self._clear(names, ast.unparse(node)):
                yield Seen(node.lineno, "compares", " ".join(names))
        elif isinstance(node, ast.match_case):
            values = [part.value for part in ast.walk(node.pattern) if isinstance(part, ast.MatchValue)]
            names = self._names(values)
            if names and self._clear(names, ""):
                yield Seen(node.pattern.lineno, "compares", " ".join(names))

    def _lists(self, node: ast.AST) -> Iterator[Seen]:
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            names = self._names(node.elts)
            if len(set(names)) >= self.kind.several:
                yield Seen(node.lineno, "lists", " ".join(names))
        elif isinstance(node, ast.Dict):
            names = self._names(node.keys)
            if len(set(names)) >= self.kind.several or any(name not in self.unclear for name in names):
                yield Seen(node.lineno, "lists", " ".join(names))
        elif isinstance(node, ast.Subscript):
            names = self._names([node.slice])
            if names and self._clear(names, ast.unparse(node.value)):
                yield Seen(node.lineno, "lists", " ".join(names))

    def _imports(self, node: ast.AST) -> Iterator[Seen]:
        if not (isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kassay"):
            return
        module = node.module.removeprefix("kassay").lstrip(".")
        for name in {module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)} & self.modules:
            yield Seen(node.lineno, "imports", name)

    def _asks(self, node: ast.AST) -> Iterator[Seen]:
        if isinstance(node, ast.Attribute) and node.attr in self.kind.parts and ast.unparse(node.value) == "report":
            yield Seen(node.lineno, "asks", f"report.{node.attr}")

    def _prints(self, node: ast.Constant) -> Iterator[Seen]:
        if isinstance(node.value, str) and node.value not in self.words:
            needed = 3 if self.unclear else 2
            found = [match for match in re.finditer(r"\w+", node.value.replace("-", "_")) if match[0] in self.words]
            for first in found:
                names = sorted({match[0] for match in found if 0 <= match.start() - first.start() <= LIST_CHARACTERS})
                if len(names) >= needed:
                    yield Seen(node.lineno, "prints", " ".join(names))
                    return

    def _sums(self, node: ast.AST) -> Iterator[Seen]:
        if isinstance(node, ast.BinOp | ast.Tuple):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else node.elts
            parts = [part.operand if isinstance(part, ast.UnaryOp) else part for part in parts]
            names = {part.attr for part in parts if isinstance(part, ast.Attribute)}
            if isinstance(node, ast.BinOp) and set(self.words) <= names:
                yield Seen(node.lineno, "sums", ast.unparse(node))


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Docstrings, including the strings below the assignment of a constant, which describe it."""
    for node in ast.walk(tree):
        for part in getattr(node, "body", None) or () if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                yield part.value


def main() -> None:
    """Prints a table, a column for each checkout; with --list every place that was counted."""
    parser = argparse.ArgumentParser(prog="files_to_add", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkouts", nargs="*", type=Path, metavar="CHECKOUT", help="default: this one")
    parser.add_argument("--list", action="store_true", help="also print the files, and what stands where")
    parser.add_argument("--kind", help="this kind alone")
    given = parser.parse_args()
    checkouts = given.checkouts or [Path(__file__).parent.parent]
    kinds = [kind for kind in KINDS if given.kind in (None, kind.name)]
    counts = {kind.name: [count(kind, checkout) for checkout in checkouts] for kind in kinds}
    titles = [str(checkout) for checkout in checkouts]
    print(f"{'files to add one':16}" + "".join(f"  {title:>22}" for title in titles))
    for name, found in counts.items():
        cells = [f"{one.own_median} own + {len(one.others)} others" for one in found]
        print(
            f"{name:16}"
            + "".join(f"  {cell:>{max(22, len(title))}}" for cell, title in zip(cells, titles, strict=True))
        )
    for name, found in counts.items() if given.list else ():
        for title, one in zip(titles, found, strict=True):
            print(f"\n{name}, {title}")
            for member, paths in one.own.items():
                print(f"  own of {member}: {' '.join(paths) or 'none'}")
            for path, seen in one.others.items():
                print(f"  {path}: " + "; ".join(f"{at.line} {at.how} {at.what}" for at in seen[:4])
                      + (f"; {len(seen) - 4} more" if len(seen) > 4 else ""))  # fmt: skip


if __name__ == "__main__":
    main()
