# SPDX-License-Identifier: GPL-2.0-only
"""Kernels: find them, fetch them, identify them, keep them.

Others call `fetch(refs, flavour, tell)`, `load_modules(artifact, names, tell)` and `module_tree(artifact, tell)`. Each
file in this folder without a leading underscore is one kind of kernel reference (debian:, image:, build:, host) and has
a SOURCE; a further kind is one further file.
"""

from kassay.kernels._changes import source_change
from kassay.kernels._debug_symbols import debug_symbols
from kassay.kernels._module_tree import module_tree
from kassay.kernels._modules import load_modules
from kassay.kernels._source import KernelSource, KernelVersion, askers, check, fetch, pinned, refresh, sources, versions

__all__ = [
    "KernelSource",
    "KernelVersion",
    "askers",
    "check",
    "debug_symbols",
    "fetch",
    "load_modules",
    "module_tree",
    "pinned",
    "refresh",
    "source_change",
    "sources",
    "versions",
]
