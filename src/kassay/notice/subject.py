# SPDX-License-Identifier: GPL-2.0-only
"""A finding's two profiles -> the functions in which its difference lies.

From the entry point inwards, as long as the difference lies in what a function calls. Where it lies in the function
itself, or among functions of which only one kernel has some (code that was inlined, split out, or has another name),
that function with all that it calls is what changed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kassay.errors import BadInput
from kassay.notice.paths import KernelPath, KernelPaths

_SHARE = 0.1
"""Of the whole difference, from which on a part of it is followed."""
_LEAST = 1e-4
"""Of the base value; below this there is no difference to follow."""


@dataclass
class _Node:
    """A function on one path, or an entry. own: instructions per operation, of base and head. has: which kernels have
    it there. names: of an entry, its entry functions."""

    own: list[float] = field(default_factory=lambda: [0.0, 0.0])
    has: list[bool] = field(default_factory=lambda: [False, False])
    below: dict[str, "_Node"] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    @property
    def delta(self) -> float:
        """Of the function with all that it calls."""
        return self.own[1] - self.own[0] + sum(node.delta for node in self.below.values())


class Sought(NamedTuple):
    """whole: functions with all that they call. alone: functions whose own instructions count. callers: on the way to
    these, outermost first. inside: whether only what runs on behalf of the path's entry counts, and not the code that
    every system call enters the kernel by."""

    whole: frozenset[str]
    alone: frozenset[str]
    callers: tuple[str, ...] = ()
    inside: bool = True

    def match(self, path: KernelPath) -> str:
        """The sought function to which what the path's last function executed itself belongs; "" for none."""
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
    found = [one for entry, node in root.below.items() if entry for one in _followed(node, least, ())]
    found += [(name, True, ()) for name in _shared(root.below.get("", _Node()), least)]
    whole = frozenset(name for name, alone, _ in found if not alone)
    callers = dict.fromkeys(name for _, _, way in found for name in way if name not in whole)
    return Sought(whole, frozenset(name for name, alone, _ in found if alone) - whole, tuple(callers))


def _tree(sides: Sequence[KernelPaths]) -> _Node:
    """All paths of both kernels, but for interrupts, which come when they will. The first level are entries, so that
    entry functions of other names meet."""
    root = _Node()
    for number, side in enumerate(sides):
        for path in (one for one in side.paths if not one.interrupt):
            node = root.below.setdefault(path.entry, _Node())
            node.has[number] = True
            node.names.update(filter(None, (path.function,)))
            for name in path.functions[path.at + 1 if path.entry else 0 :]:
                node = node.below.setdefault(name, _Node())
                node.has[number] = True
            node.own[number] += path.cost
    return root


_Found: TypeAlias = tuple[str, bool, tuple[str, ...]]
"""Function, whether its own instructions alone, the functions that lead to it."""


def _followed(node: _Node, least: float, way: tuple[str, ...]) -> Iterator[_Found]:
    """way: the functions down to the node's own, which an entry has none of."""
    large = {name: below for name, below in node.below.items() if abs(below.delta) >= least}
    own = abs(node.own[1] - node.own[0]) >= least
    moved = any(not all(below.has) for below in large.values())
    names = way[-1:] or tuple(sorted(node.names))
    if moved or (own and not large) or (not large and abs(node.delta) >= least):
        alone = not moved and own and _quiet(node, least)
        yield from ((name, alone, way[:-1]) for name in names)
        if names:
            return
    elif own:
        yield from ((name, True, way[:-1]) for name in names)
    for name, below in large.items():
        yield from _followed(below, least, (*way, name))


def _shared(node: _Node, least: float) -> Iterator[str]:
    """Of the code by which every system call enters and leaves, below `node`, the functions whose own instructions
    changed; none where they only took other names."""
    if abs(node.delta) < least:
        return
    own: dict[str, float] = {}
    open_ = list(node.below.items())
    while open_:
        name, one = open_.pop()
        own[name] = own.get(name, 0) + one.own[1] - one.own[0]
        open_ += one.below.items()
    yield from (name for name, delta in own.items() if abs(delta) >= least)


def _quiet(node: _Node, least: float) -> bool:
    """Whether all that a function calls is the same on both kernels, so that its own code alone changed."""
    below = node.below.values()
    return all(all(one.has) for one in below) and sum(abs(one.delta) for one in below) < least / 2
