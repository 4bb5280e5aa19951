# SPDX-License-Identifier: GPL-2.0-only
"""A finding's two profiles -> the functions that cause its difference.

The search goes from the entry point inwards, as long as the difference is in the callees of a function. If it is in the
function itself, or in callees that only one of the kernels has (code that was inlined, split out, or renamed), that
function with all its callees is what changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple, TypeAlias

from kassay.errors import BadInput
from kassay.labs.notice.paths import KernelPath, KernelPaths

_SHARE = 0.1
"""A part is followed if it is at least this share of the whole difference."""
_LEAST = 1e-4
"""A smaller share of the base value is no difference."""


@dataclass
class _Node:
    """A function on one path, or an entry."""

    own: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """Its own instructions per operation, on base and on head."""
    has: list[bool] = field(default_factory=lambda: [False, False])
    """True for each of base and head that has the function on this path."""
    below: dict[str, "_Node"] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    """Entry functions of an entry; empty for a function."""

    @property
    def delta(self) -> float:
        """Difference of the function, callees included."""
        return self.own[1] - self.own[0] + fsum(node.delta for node in self.below.values())


class Sought(NamedTuple):
    """Functions whose cost is looked for."""

    whole: frozenset[str]
    """Functions with all that they call."""
    alone: frozenset[str]
    """Functions whose own instructions alone count."""
    callers: tuple[str, ...] = ()
    """Callers of the sought functions, outermost first."""
    inside: bool = True
    """True if the code by which every system call enters the kernel is left out."""

    def match(self, path: KernelPath) -> str:
        """The sought function to which the own cost of this path belongs; "" for none."""
        functions = path.functions[path.at :] if self.inside else path.functions
        outermost = next((name for name in functions if name in self.whole), "")
        return outermost or (functions[-1] if functions and functions[-1] in self.alone else "")


def named(functions: Iterable[str]) -> Sought:
    """Functions that the user named, each with all that it calls."""
    return Sought(frozenset(functions), frozenset(), inside=False)


def sought_of(base: KernelPaths, head: KernelPaths) -> Sought:
    """Raises BadInput where the kernels do not differ."""
    root = _tree((base, head))
    total = root.delta
    if abs(total) <= _LEAST * base.total:
        raise BadInput("the kernel's instructions are the same on both kernels: there is no change to look for",
                       "name two kernels that differ, or name functions to see who executes them")  # fmt: skip
    least = _SHARE * abs(total)
    changes = [change for entry, node in root.below.items() if entry for change in _followed(node, least, ())]
    changes += [(name, True, ()) for name in _shared(root.below.get("", _Node()), least)]
    whole = frozenset(name for name, alone, _ in changes if not alone)
    callers = dict.fromkeys(name for _, _, way in changes for name in way if name not in whole)
    return Sought(whole, frozenset(name for name, alone, _ in changes if alone) - whole, tuple(callers))


def _tree(sides: Sequence[KernelPaths]) -> _Node:
    """All paths of both kernels as a tree, without interrupts, which come at random. The first level are entries, so
    that renamed entry functions are matched."""
    root = _Node()
    for number, side in enumerate(sides):
        for path in (p for p in side.paths if not p.interrupt):
            node = root.below.setdefault(path.entry, _Node())
            node.has[number] = True
            node.names.update(filter(None, (path.function,)))
            for name in path.functions[path.at + 1 if path.entry else 0 :]:
                node = node.below.setdefault(name, _Node())
                node.has[number] = True
            node.own[number] += path.cost
    return root


_Change: TypeAlias = tuple[str, bool, tuple[str, ...]]
"""Function, whether only its own instructions changed, the functions that lead to it."""


def _followed(node: _Node, least: float, way: tuple[str, ...]) -> Iterator[_Change]:
    """way: the functions from the entry down to the node; empty for an entry."""
    large = {name: below for name, below in node.below.items() if abs(below.delta) >= least}
    changes_itself = abs(node.own[1] - node.own[0]) >= least
    is_new = any(not all(below.has) for below in large.values())
    names = way[-1:] or tuple(sorted(node.names))
    if is_new or (changes_itself and not large) or (not large and abs(node.delta) >= least):
        alone = not is_new and changes_itself and _quiet(node, least)
        yield from ((name, alone, way[:-1]) for name in names)
        if names:
            return
    elif changes_itself:
        yield from ((name, True, way[:-1]) for name in names)
    for name, below in large.items():
        yield from _followed(below, least, (*way, name))


def _shared(node: _Node, least: float) -> Iterator[str]:
    """The functions below `node` whose own instructions changed; none if they were only renamed. `node` is the code by
    which every system call enters and leaves the kernel."""
    if abs(node.delta) < least:
        return
    deltas: dict[str, float] = {}
    open_ = list(node.below.items())
    while open_:
        name, callee = open_.pop()
        deltas[name] = deltas.get(name, 0) + callee.own[1] - callee.own[0]
        open_ += callee.below.items()
    yield from (name for name, delta in deltas.items() if abs(delta) >= least)


def _quiet(node: _Node, least: float) -> bool:
    """True if all callees of a function are the same on both kernels, so that only its own code changed."""
    below = node.below.values()
    return all(all(callee.has) for callee in below) and sum(abs(callee.delta) for callee in below) < least / 2
