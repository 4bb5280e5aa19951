# SPDX-License-Identifier: GPL-2.0-only
"""Two profiles of one phase -> the difference, itemised by function so that it adds up exactly."""

from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import NamedTuple

from kassay.analysis.difference_text import Inside, Share, difference_text
from kassay.analysis.pairing import Node, holders, mostly_cancel
from kassay.analysis.source_shares import Lines, SourcePart, added_up, lines_of, source_parts
from kassay.model.costs import DEFAULT, Cost, cost_of
from kassay.model.finding import Attribution, AttributionGroup, AttributionRow, SourceShare
from kassay.model.profile import FunctionCost, Profile, base_name

IDLE = "[idle]"
_INSIDE = 2  # functions of a group that a sentence names


class _Key(NamedTuple):
    function: str
    place: str
    context: str

    @property
    def node(self) -> Node:
        return self.function, self.context


class _Cost(NamedTuple):
    """Cost of one function per operation."""

    value: Fraction = Fraction(0)
    """Sum in the cost that was asked for."""
    iterations: Fraction = Fraction(0)
    calls: Fraction = Fraction(0)
    lines: Lines | None = Lines((), 1)
    """Its source lines; None if they are not known."""


_Costs = Mapping[_Key, _Cost]
_Members = Sequence[tuple[Sequence[_Key], _Key | None]]
"""Members of each group, root first, and the one that exchanged code with the root."""


def itemise(
    base: Profile, head: Profile, base_value: float, head_value: float, *, unit: str, cost: Cost | None = None
) -> Attribution:
    """Amount that each function adds to head_value - base_value, in the metric's unit per operation.

    Every function that either side executed has a row, largest change first. Guest time without an instruction is the
    row "[idle]". The part that no row explains is unattributed: with exact values, sum of deltas + unattributed = total
    holds in fractions, and each is rounded to a float at the very end.

    cost: what the values are sums of; the default cost, unless one is given. A profile with a problem must not be
    passed.
    """
    cost = cost or cost_of(DEFAULT)
    costs = _costs(base, cost), _costs(head, cost)
    deltas = {key: _of(costs[1], key).value - _of(costs[0], key).value for key in {**costs[0], **costs[1]}}
    keys = sorted(deltas, key=lambda key: (-abs(deltas[key]), key))
    members = _grouped(keys, holders(base, head), deltas)
    group_of = {key: index for index, group in enumerate(members) for key in group}
    total = _exact(head_value, head.operations) - _exact(base_value, base.operations)
    unattributed = total - sum(deltas.values())
    renamed = _renamed([key for key in keys if key not in group_of and deltas[key]], deltas, costs)
    direct = {((edge.caller, edge.context), (edge.callee, edge.context)) for one in (base, head) for edge in one.edges}
    moved = [_counterpart(group, deltas, direct) for group in members]
    shares = _shares(keys, deltas, list(zip(members, moved, strict=True)), renamed, costs)
    index_of = {key: index for index, key in enumerate(keys)}
    replaces = {new: index_of[old] for old, new in renamed.items()}
    text = difference_text(total, shares, unattributed, max(base_value, head_value), unit)
    return Attribution(
        total=float(total),
        rows=tuple(_row(key, *costs, group_of.get(key), replaces.get(key)) for key in keys),
        unattributed=float(unattributed),
        groups=tuple(_group(group, other, *costs) for group, other in zip(members, moved, strict=True)),
        sentence=text.whole,
        parts=text.parts,
        base_run=base.run,
        head_run=head.run,
        base_rounds=base.rounds,
        head_rounds=head.rounds,
    )


def _costs(profile: Profile, cost: Cost) -> dict[_Key, _Cost]:
    costs: dict[_Key, _Cost] = {}
    per = profile.operations
    for function in profile.functions:
        key = _Key(function.function, function.place, function.context)
        before = costs.get(key, _Cost())
        costs[key] = _Cost(
            before.value + Fraction(cost.of(function) or 0, per),
            before.iterations + Fraction(function.iterations, per),
            before.calls + Fraction(function.calls, per),
            _lines(before, function, per) if cost.name == DEFAULT else None,
        )
    if profile.idle and cost.name == DEFAULT:  # time without an instruction
        costs[_Key(IDLE, "", "idle")] = _Cost(Fraction(profile.idle, per), lines=None)
    return costs


def _lines(before: _Cost, function: FunctionCost, per: int) -> Lines | None:
    """The lines of a row to which one more cost is added."""
    added = lines_of((function,), per)
    return None if added is None or before.lines is None else Lines((*before.lines.lines, *added.lines), per)


def _exact(value: float, operations: int) -> Fraction:
    """The count per operations that `value` was rounded from; the float itself when it comes from no such count."""
    near = Fraction(round(Fraction(value) * operations), operations)
    return near if float(near) == value else Fraction(value)


def _grouped(keys: Sequence[_Key], holder: Mapping[Node, Node], deltas: Mapping[_Key, Fraction]) -> list[list[_Key]]:
    """Groups, largest change first, each with its root first and the others as in `keys`."""
    roots = set(holder.values())
    by_root: dict[Node, list[_Key]] = {}
    for key in sorted(keys, key=lambda key: key.node not in roots):  # stable: roots first
        if key.node in roots or key.node in holder:
            by_root.setdefault(holder.get(key.node, key.node), []).append(key)
    return sorted(by_root.values(), key=lambda keys: (-abs(sum(deltas[key] for key in keys)), keys))


def _row(key: _Key, base: _Costs, head: _Costs, group: int | None, replaces: int | None) -> AttributionRow:
    a, b = _of(base, key), _of(head, key)
    return AttributionRow(
        function=key.function, place=key.place, context=key.context,
        base=float(a.value), head=float(b.value), delta=float(b.value - a.value),
        base_calls=float(a.calls), head_calls=float(b.calls),
        base_iterations=float(a.iterations), head_iterations=float(b.iterations),
        group=group, replaces=replaces,
        source=tuple(
            SourceShare(function=part.function, file=part.file, line=part.line, base=float(part.base),
                        head=float(part.head), delta=float(part.delta))
            for part in source_parts(a.lines, b.lines)
        ),
    )  # fmt: skip


def _group(keys: Sequence[_Key], counterpart: _Key | None, base: _Costs, head: _Costs) -> AttributionGroup:
    a, b = (sum((_of(costs, key).value for key in keys), Fraction(0)) for costs in (base, head))
    names = tuple(dict.fromkeys(key.function for key in keys))
    other = counterpart.function if counterpart is not None else ""
    return AttributionGroup(
        root=names[0], functions=names, base=float(a), head=float(b), delta=float(b - a), counterpart=other
    )


def _of(costs: _Costs, key: _Key) -> _Cost:
    return costs.get(key, _Cost())


def _shares(keys: Sequence[_Key], deltas: Mapping[_Key, Fraction], members: _Members, renamed: Mapping[_Key, _Key],
            costs: tuple[_Costs, _Costs]) -> list[Share]:  # fmt: skip
    """Every change once: a group by its sum, a renamed function together with the one it replaces.

    Example: a compiler stopped inlining, and change_protection loses 270 while change_pte_range gains 244. The share is
    their sum, 26 fewer. Example of a renamed function: kernel_init_pages -564, clear_highpages +553.
    """
    shares = [_of_group(group, counterpart, deltas, costs) for group, counterpart in members]
    grouped = {key for group, _ in members for key in group}
    new = set(renamed.values())
    for key in (key for key in keys if key not in grouped and deltas[key]):
        if key in renamed:
            other = renamed[key]
            name, total = _pair_name(key, other), deltas[key] + deltas[other]
            shares.append(Share(name, total, True, _source((key, other), total, costs)))
        elif key not in new:
            shares.append(Share(_name(key), deltas[key], inside=_source((key,), deltas[key], costs)))
    return shares


def _source(keys: Sequence[_Key], total: Fraction, costs: tuple[_Costs, _Costs]) -> tuple[Inside, ...]:
    """The functions of the sources that changed most in the direction of the sum, inlined ones included."""
    parts = [source_parts(_of(costs[0], key).lines, _of(costs[1], key).lines) for key in keys]
    if not all(parts):
        return ()
    largest = [part for part in added_up(part for own in parts for part in own) if part.delta * total > 0]
    return tuple(Inside(part.function, part.delta, _place(part)) for part in largest[:_INSIDE])


def _place(part: SourcePart) -> str:
    return f"{part.file}:{part.line}" if part.file and part.line else ""


def _renamed(keys: Sequence[_Key], deltas: Mapping[_Key, Fraction], costs: tuple[_Costs, _Costs]) -> dict[_Key, _Key]:
    """Function that only base executes -> the one that replaces it, which only head executes; each in one pair at most.

    Two names that are the same but for underscores and the suffix of a compiler's copy are a pair, also of a module and
    the kernel. So are two functions of one place whose deltas mostly cancel, if they are called as often, or nearly so
    and their names differ in one word.
    """
    base, head = costs
    gone = [key for key in keys if key in base and key not in head]
    new = [key for key in keys if key in head and key not in base]
    pairs: dict[_Key, _Key] = {}
    for is_pair in (_same_name, _replaced):
        for key in (key for key in gone if key not in pairs):
            taken = set(pairs.values())
            found = [
                other for other in new
                if other not in taken and other.context == key.context and is_pair(key, other, deltas, costs)
            ]  # fmt: skip
            if found:
                pairs[key] = min(found, key=lambda other: (not _related(key, other), abs(deltas[key] + deltas[other])))
    return pairs


_ALIKE = Fraction(5, 100)  # by which numbers of calls may differ: a few faults or ticks more call some functions too


def _same_name(old: _Key, new: _Key, deltas: Mapping[_Key, Fraction], costs: tuple[_Costs, _Costs]) -> bool:
    return _words(old) == _words(new)


def _replaced(old: _Key, new: _Key, deltas: Mapping[_Key, Fraction], costs: tuple[_Costs, _Costs]) -> bool:
    if old.place != new.place:
        return False
    before, after = costs[0][old].calls, costs[1][new].calls
    nearly = _related(old, new) and abs(before - after) <= _ALIKE * max(before, after)
    return bool(before) and mostly_cancel(deltas[old], deltas[new]) and (before == after or nearly)


def _related(old: _Key, new: _Key) -> bool:
    """True if two names share two words or more, and each has at most one that the other lacks."""
    before, after = set(_words(old)), set(_words(new))
    return len(before & after) > 1 and max(len(before - after), len(after - before)) <= 1


def _words(key: _Key) -> list[str]:
    return [word for word in base_name(key.function).split("_") if word]


def _of_group(
    group: Sequence[_Key], counterpart: _Key | None, deltas: Mapping[_Key, Fraction], costs: tuple[_Costs, _Costs]
) -> Share:
    """The share of a group. Inside names the functions of the sources that changed most in the direction of the sum;
    without line tables, of three or more functions that did more than exchange code, those that changed most. Neither
    the root's counterpart is named, nor a function that another one may have become."""
    total = sum((deltas[key] for key in group), Fraction(0))
    if inside := _source(group, total, costs):
        return Share(_group_name(group), total, True, inside)
    same = sorted(
        (
            key
            for key in group
            if deltas[key] * total > 0 and key != counterpart and not _has_other_name(key, group, deltas)
        ),
        key=lambda key: -abs(deltas[key]),
    )
    cancels = 2 * abs(total) < max((abs(deltas[key]) for key in group), default=Fraction(0))
    inside = () if cancels or len(group) < 3 else tuple(Inside(_name(key), deltas[key]) for key in same[:_INSIDE])
    return Share(_group_name(group), total, True, inside)


def _has_other_name(key: _Key, group: Sequence[_Key], deltas: Mapping[_Key, Fraction]) -> bool:
    """True if the other kernel has a member of a related name in its place."""
    return any(deltas[other] * deltas[key] < 0 and _related(key, other) for other in group)


def _counterpart(group: Sequence[_Key], deltas: Mapping[_Key, Fraction], direct: Set[tuple[Node, Node]]) -> _Key | None:
    """The member that exchanged code with the root: its delta offsets the root's best, and most of both.

    A function that was split out of the root is called by it. Others may offset its delta by chance, and are taken only
    if no callee of the root does. direct: callers with their callees.
    """
    root, *others = group
    offsets = [key for key in others if mostly_cancel(deltas[key], deltas[root])]
    called = [key for key in offsets if (root.node, key.node) in direct]
    return min(called or offsets, key=lambda key: abs(deltas[key] + deltas[root]), default=None)


def _group_name(group: Sequence[_Key]) -> str:
    """ "change_protection with change_pte_range", "change_protection with 3 callees"."""
    root, *others = group
    names = list(dict.fromkeys(key.function for key in others if key.function != root.function))
    if not names:
        return _name(root)
    return f"{_name(root)} with {names[0] if len(names) == 1 else f'{len(names)} callees'}"


def _pair_name(old: _Key, new: _Key) -> str:
    """ "change_protection with change_pte_range"; one name for a function that is in a module on one kernel."""
    return _name(old) if old.function == new.function else f"{_name(old)} with {new.function}"


def _name(key: _Key) -> str:
    where = "" if key.context in ("kernel", "user", "idle") else f" ({key.context})"
    return f"{key.function}{where}"
