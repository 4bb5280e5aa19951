# SPDX-License-Identifier: GPL-2.0-only
"""Discovery of extension points: a folder of small files; the name of a file is the name of the extension.

KASSAY_PATH names directories (separated by ":") that are laid out as src/kassay is, without the folders in ROOMS. With
KASSAY_PATH=/x a file /x/report/formats/org.py adds `--format org`, and /x/cpus/mine.py adds a CPU. Files in C lie as in
kassay's sources: /x/guest/workloads, /x/guest/arch, /x/plugin. docs/how-to/extending.md has every extension point.
"""

import importlib
import os
import pkgutil
import traceback
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from kassay.errors import BadInput, Defect

T = TypeVar("T")


class Ordered(Protocol):
    """An extension that has a place among the others."""

    @property
    def name(self) -> str: ...
    @property
    def order(self) -> int: ...


OrderedT = TypeVar("OrderedT", bound=Ordered)

EXTENSIONS = "KASSAY_PATH"
ROOMS = frozenset(("supply", "tools", "labs", "model"))
"""Folders that group others, and are no part of an extension's path."""
_RENAMED = {"machine_code/decoders": "codegen/decoders"}
"""Folders that extensions still call by their earlier name."""


def names(package: str) -> tuple[str, ...]:
    """Sorted names of the modules that discover() would return; imports none of them."""
    return tuple(sorted(_folders(package)))


def own_names(package: str) -> frozenset[str]:
    """Names that every installation has: names() without those of KASSAY_PATH."""
    return frozenset(name for name, folder in _folders(package).items() if not is_extension(folder))


def load(package: str, name: str, constant: str, kind: type[T]) -> T:
    """The `constant` of one module of names().

    Raises Defect when the module has no such constant, or one of another type; BadInput when the file is one of
    KASSAY_PATH, also when it cannot be imported.
    """
    path = _folders(package)[name] / f"{name}.py"
    try:
        value = getattr(importlib.import_module(f"{package}.{name}"), constant, None)
    except Exception as error:
        if not is_extension(path):
            raise
        raise BadInput(f"{path}: {_line_of(error, path)}{type(error).__name__}: {error}", "correct the file") from error
    if isinstance(value, kind):
        return value
    problem = f"no {constant} of type {kind.__name__}"
    if is_extension(path):
        raise BadInput(f"{path}: {problem}", f"docs/how-to/extending.md says what a file of {path.parent.name}/ holds")
    raise Defect(f"{package}.{name}: {problem}")


def discover(package: str, constant: str, kind: type[T]) -> Mapping[str, T]:
    """Every module of `package` that does not start with "_", mapped from its name to its `constant`."""
    return MappingProxyType({name: load(package, name, constant, kind) for name in names(package)})


def ordered(extensions: Iterable[OrderedT]) -> Mapping[str, OrderedT]:
    """Extensions by name, sorted by their places, and by name where two have the same place."""
    placed = sorted(extensions, key=lambda one: (one.order, one.name))
    return MappingProxyType({one.name: one for one in placed})


def files(own: Path, folder: str, pattern: str) -> Mapping[str, Path]:
    """Name of each file -> its path, in order: files of `own` whose names match `pattern` ("*.c"), and those in
    `folder` ("guest/workloads") of each directory of KASSAY_PATH. None starts with "_".

    Raises BadInput when two have the same name.
    """
    paths: dict[str, Path] = {}
    for directory in (own, *_extension_directories(folder)):
        for path in sorted(directory.glob(pattern)):
            if path.name in paths:
                raise _taken(path, paths[path.name])
            if not path.name.startswith("_"):
                paths[path.name] = path
    return MappingProxyType(dict(sorted(paths.items())))


def is_extension(path: Path) -> bool:
    """True if a file of files() comes from KASSAY_PATH."""
    return any(path.is_relative_to(directory) for directory in _extension_directories(""))


def _line_of(error: Exception, path: Path) -> str:
    """The last line of `path` that was executed before the error; "" when none was, e.g. after a syntax error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"line {lines[-1]}: " if lines else ""


def _taken(path: Path, before: Path) -> BadInput:
    return BadInput(f"{path}: there is a {before} already", "give the file another name")


@cache
def _folders(package: str) -> Mapping[str, Path]:
    """Name of each module -> the folder it is in. Raises BadInput when two folders have the same name."""
    module = importlib.import_module(package)
    folder = "/".join(word for word in package.split(".")[1:] if word not in ROOMS)
    for directory in _extension_directories(_RENAMED.get(folder, folder)):
        if str(directory) not in module.__path__:
            module.__path__.append(str(directory))
    folders: dict[str, Path] = {}
    for place in map(Path, module.__path__):
        for entry in pkgutil.iter_modules([str(place)]):
            if entry.name in folders:
                raise _taken(place / f"{entry.name}.py", folders[entry.name] / f"{entry.name}.py")
            if not entry.name.startswith("_"):
                folders[entry.name] = place
    return MappingProxyType(folders)


def _extension_directories(folder: str) -> tuple[Path, ...]:
    """`folder` (such as "report/formats") below each directory that KASSAY_PATH names, where there is one.

    Raises BadInput for a directory that does not exist.
    """
    named = [Path(text).expanduser().absolute() for text in os.environ.get(EXTENSIONS, "").split(":") if text]
    for directory in named:
        if not directory.is_dir():
            raise BadInput(f"{EXTENSIONS}: {directory}: no such directory", f"correct it, or unset {EXTENSIONS}")
    return tuple(path for directory in named if (path := directory / folder).is_dir())
