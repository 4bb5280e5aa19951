# SPDX-License-Identifier: GPL-2.0-only
"""Kernels: find them, fetch them, identify them, keep them.

The door is `fetch(refs, flavour, tell)` and `load_modules(artifact, names, tell)`. Each
file here without a leading underscore is one kind of kernel reference (debian:, image:,
host) and exposes SOURCE; a further kind is one further file.
"""

from kassay.kernels._fetch import fetch, pinned, refresh, sources, versions
from kassay.kernels._modules import load_modules
from kassay.kernels._source import KernelSource, KernelVersion

__all__ = ["KernelSource", "KernelVersion", "fetch", "load_modules", "pinned", "refresh", "sources", "versions"]
