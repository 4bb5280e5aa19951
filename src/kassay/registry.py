# SPDX-License-Identifier: GPL-2.0-only
"""Discovery of extension points: a folder of small files, file name = name."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType
from typing import TypeVar

from kassay.errors import Defect

T = TypeVar("T")


def discover(package: str, constant: str, kind: type[T]) -> Mapping[str, T]:
    """Every module of `package` that does not start with "_", mapped from its name to its `constant`.

    Raises Defect when a module has no such constant or one of another type: a
    contribution that cannot be used must not vanish silently.
    """
    found: dict[str, T] = {}
    for name, module in _modules(package).items():
        value = getattr(module, constant, None)
        if not isinstance(value, kind):
            raise Defect(f"{package}.{name}: no {constant} of type {kind.__name__}")
        found[name] = value
    return MappingProxyType(found)


@cache
def _modules(package: str) -> Mapping[str, ModuleType]:
    names = _module_names(importlib.import_module(package))
    return MappingProxyType({name: importlib.import_module(f"{package}.{name}") for name in names})


def _module_names(package: ModuleType) -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
