# SPDX-License-Identifier: GPL-2.0-only
"""Kernels: find them, fetch them, identify them, keep them.

Others call `fetch(refs, flavour, tell)`, `load_modules(artifact, names, tell)` and `module_tree(artifact, tell)`. Each
file in this folder without a leading underscore gets the kernels of one kind of reference, and has a SOURCE. The words
of the kind are in the file of the same name in kassay.model.kinds.
"""

from kassay.supply.kernels._changes import source_change
from kassay.supply.kernels._debug_symbols import debug_symbols
from kassay.supply.kernels._module_tree import module_tree
from kassay.supply.kernels._modules import load_modules
from kassay.supply.kernels._options import option
from kassay.supply.kernels._source import (
    KernelSource,
    KernelVersion,
    askers,
    check,
    fetch,
    pinned,
    refresh,
    sources,
    versions,
)
from kassay.supply.kernels._store import check_whole
from kassay.supply.kernels._symbols import lacks_function

__all__ = [
    "KernelSource",
    "KernelVersion",
    "askers",
    "check",
    "check_whole",
    "debug_symbols",
    "fetch",
    "lacks_function",
    "load_modules",
    "module_tree",
    "option",
    "pinned",
    "refresh",
    "source_change",
    "sources",
    "versions",
]
