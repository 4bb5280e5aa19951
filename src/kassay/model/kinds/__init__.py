# SPDX-License-Identifier: GPL-2.0-only
"""Kinds of kernel references: the words of each.

One file each: kinds/NAME.py holds KIND, a Kind whose name is NAME. Nothing here reads a file or asks the host. The
file of the same name in kassay.supply.kernels gets the kernel.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from kassay.model.build import BuildSource
from kassay.registry import discover, ordered


class Found(Protocol):
    """Parts of a kernel's identity that an exact reference is made of."""

    @property
    def package_version(self) -> str | None: ...
    @property
    def release(self) -> str: ...
    @property
    def build(self) -> BuildSource | None: ...


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of kernel reference: NAME:LOCATOR, or NAME alone."""

    name: str
    """Word before the colon."""
    order: int
    """Place in errors and help texts."""
    grammar: str
    """How it is written, with an example or two; shown for a reference that is not understood."""
    bare: bool = False
    """True if the word is the whole reference."""
    native: bool = False
    """True for the kernel that runs on this system; it is never booted."""
    files: bool = False
    """True if the kernel is in files that the user has. A bundle does not hold them."""
    check: Callable[[str], object] = lambda _: None
    """Raises BadInput for a locator that cannot be understood."""
    paths: Callable[[str], tuple[str, ...]] = lambda _: ()
    """Paths in a locator: as they are, and as they are written there if that differs."""
    short: Callable[[str, bool], str] = lambda locator, _: locator
    """Name of a locator in reports; the second argument asks for the name with its configuration."""
    pinned: Callable[[str, Found], str | None] = lambda _, __: None
    """Reference without arch that names the very kernel that was found; None for the one that was written."""


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind by name, in their order."""
    return ordered(discover("kassay.model.kinds", "KIND", Kind).values())
