# SPDX-License-Identifier: GPL-2.0-only
"""Two profiles of one phase -> the difference, itemised by function so that it adds up exactly."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from kassay.analysis.folding import folded
from kassay.analysis.in_words import Share, sentence
from kassay.analysis.pairing import Node, holders
from kassay.costs import DEFAULT, Cost, cost_of
from kassay.model.finding import Attribution, AttributionGroup, AttributionRow
from kassay.model.profile import Profile

IDLE = "[idle]"


class _Key(NamedTuple):
    function: str
    place: str
    context: str

    @property
    def node(self) -> Node:
        return self.function, self.context


class _Cost(NamedTuple):
    """Per operation. value: in the cost that is asked for."""

    value: Fraction = Fraction(0)
    iterations: Fraction = Fraction(0)
    calls: Fraction = Fraction(0)


_Costs = Mapping[_Key, _Cost]
_Members = Sequence[Sequence[_Key]]


def itemise(base: Profile, head: Profile, base_value: float, head_value: float, *, unit: str = "instructions/operation",
            fold: bool = False, cost: Cost | None = None) -> Attribution:  # fmt: skip
    """What each function adds to head_value - base_value, in the metric's unit per operation.

    Every function that either side executed has a row, largest change first; guest time without an
    instruction is the row "[idle]". What no row explains is unattributed: with exact values, sum of
    deltas + unattributed = total holds in fractions, and each is rounded to a float at the very end.
    fold: clones of a function are merged into it. cost: what the values are sums of; the default cost, unless one is
    given. A profile with a problem is not for here.
    """
    if fold:
        base, head = folded(base), folded(head)
    cost = cost or cost_of(DEFAULT)
    costs = _costs(base, cost), _costs(head, cost)
    deltas = {key: _of(costs[1], key).value - _of(costs[0], key).value for key in {**costs[0], **costs[1]}}
    keys = sorted(deltas, key=lambda key: (-abs(deltas[key]), key))
    members = _grouped(keys, holders(base, head), deltas)
    group_of = {key: index for index, one in enumerate(members) for key in one}
    total = _exact(head_value, head.operations) - _exact(base_value, base.operations)
    unattributed = total - sum(deltas.values())
    return Attribution(
        total=float(total),
        rows=tuple(_row(key, *costs, group_of.get(key)) for key in keys),
        unattributed=float(unattributed),
        groups=tuple(_group(one, *costs) for one in members),
        sentence=sentence(total, _shares(keys, deltas, members), unattributed, max(base_value, head_value), unit),
        base_run=base.run,
        head_run=head.run,
        base_rounds=base.rounds,
        head_rounds=head.rounds,
    )


def _costs(profile: Profile, cost: Cost) -> dict[_Key, _Cost]:
    found: dict[_Key, _Cost] = {}
    per = profile.operations
    for one in profile.functions:
        key = _Key(one.function, one.place, one.context)
        before = found.get(key, _Cost())
        found[key] = _Cost(
            before.value + Fraction(cost.of(one) or 0, per),
            before.iterations + Fraction(one.iterations, per),
            before.calls + Fraction(one.calls, per),
        )
    if profile.idle and cost.name == DEFAULT:  # time without an instruction
        found[_Key(IDLE, "", "idle")] = _Cost(Fraction(profile.idle, per))
    return found


def _exact(value: float, operations: int) -> Fraction:
    """The count per operations that `value` was rounded from; the float itself when it comes from no such count."""
    near = Fraction(round(Fraction(value) * operations), operations)
    return near if float(near) == value else Fraction(value)


def _grouped(keys: Sequence[_Key], holder: Mapping[Node, Node], deltas: Mapping[_Key, Fraction]) -> list[list[_Key]]:
    """Groups, largest change first, each with its root first and the others as in `keys`."""
    roots = set(holder.values())
    found: dict[Node, list[_Key]] = {}
    for key in sorted(keys, key=lambda key: key.node not in roots):  # stable: roots first
        if key.node in roots or key.node in holder:
            found.setdefault(holder.get(key.node, key.node), []).append(key)
    return sorted(found.values(), key=lambda keys: (-abs(sum(deltas[key] for key in keys)), keys))


def _row(key: _Key, base: _Costs, head: _Costs, group: int | None) -> AttributionRow:
    a, b = _of(base, key), _of(head, key)
    return AttributionRow(
        function=key.function, place=key.place, context=key.context,
        base=float(a.value), head=float(b.value), delta=float(b.value - a.value),
        base_calls=float(a.calls), head_calls=float(b.calls),
        base_iterations=float(a.iterations), head_iterations=float(b.iterations),
        group=group,
    )  # fmt: skip


def _group(keys: Sequence[_Key], base: _Costs, head: _Costs) -> AttributionGroup:
    a, b = (sum((_of(costs, key).value for key in keys), Fraction(0)) for costs in (base, head))
    names = tuple(dict.fromkeys(key.function for key in keys))
    return AttributionGroup(root=names[0], functions=names, base=float(a), head=float(b), delta=float(b - a))


def _of(costs: _Costs, key: _Key) -> _Cost:
    return costs.get(key, _Cost())


def _shares(keys: Sequence[_Key], deltas: Mapping[_Key, Fraction], members: _Members) -> list[Share]:
    """One share a row, except where code moved: a group's root and the member that offsets it best are one share.

    change_protection -270, change_pte_range +244 says that a compiler stopped inlining;
    the 26 between them is what changed. -5 and +62 are two changes: what moved is most of either figure.
    """
    offset: dict[_Key, _Key] = {}
    for root, *others in members:
        against = [key for key in others if deltas[key] * deltas[root] < 0]
        best = min(against, key=lambda key: abs(deltas[key] + deltas[root]), default=None)
        if best and 2 * abs(deltas[best] + deltas[root]) < min(abs(deltas[best]), abs(deltas[root])):
            offset[root] = best
    taken = set(offset.values())
    return [
        Share(_said(key, offset), deltas[key] + (deltas[offset[key]] if key in offset else 0), key in offset)
        for key in keys
        if key not in taken
    ]


def _said(key: _Key, offset: Mapping[_Key, _Key]) -> str:
    where = "" if key.context in ("kernel", "user", "idle") else f" ({key.context})"
    return f"{key.function}{where} with {offset[key].function}" if key in offset else f"{key.function}{where}"
