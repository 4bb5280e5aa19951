# SPDX-License-Identifier: GPL-2.0-only
"""A callgrind.out file, for KCachegrind and callgrind_annotate: cost of functions, calls and inclusive cost of edges.

The object is the place (kernel, module, program), the source file is the context. An edge's
inclusive cost comes from the call stacks, which do not tell string iterations from other
instructions: so the event Cost, their sum, comes first and is the one that edges have.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from kassay import __version__
from kassay.model.contexts import CONTEXTS
from kassay.model.costs import counted
from kassay.model.profile import Profile
from kassay.model.records import grouped
from kassay.model.texts import one_line
from kassay.report.exports import Export

_Function = tuple[str, str, str]  # place, context, name
_Edge = tuple[_Function, _Function]
_Places = Mapping[tuple[str, str], str]  # by (context, name): edges and stacks have no place
_EVENTS = (
    ("Cost", "Instructions and string iterations"), ("Ir", "Instructions"), ("Rep", "Iterations of string instructions")
)  # fmt: skip
_NO_LINE = "0"


def render(profile: Profile) -> str:
    """Header, then every function with its own cost and its calls; costs add up to the ticks of the profile."""
    costs_of_lines = _own(profile)
    places = {(context, name): place for place, context, name in costs_of_lines}
    calls, inclusive = _calls(profile, places), _inclusive(profile, places)
    lines = [
        "# callgrind format", "version: 1", f"creator: kassay {__version__}",
        one_line(f"cmd: {profile.phase} on {profile.kernel}, run {profile.run}"), "part: 1", "positions: line",
        *(f"event: {event} : {meaning}" for event, meaning in _EVENTS),
        f"events: {' '.join(event for event, _ in _EVENTS)}",
        f"summary: {' '.join(str(sum(costs)) for costs in zip(*costs_of_lines.values(), strict=True))}",
    ]  # fmt: skip
    edges = grouped(sorted({*calls, *inclusive}))
    for function in sorted({*costs_of_lines, *edges}):
        lines += ["", *_named(function), f"{_NO_LINE} {' '.join(map(str, costs_of_lines.get(function, (0, 0, 0))))}"]
        for callee in edges.get(function, ()):
            edge = function, callee
            lines += [*_named(callee, "c"), f"calls={calls[edge]} {_NO_LINE}", f"{_NO_LINE} {inclusive[edge]}"]
    return "\n".join(lines) + "\n"


def _own(profile: Profile) -> dict[_Function, tuple[int, int, int]]:
    costs: dict[_Function, tuple[int, int, int]] = {}
    for function in profile.functions:
        key = (function.place, function.context, function.function)
        count, instructions, iterations = costs.get(key, (0, 0, 0))
        instructions, iterations = instructions + function.instructions, iterations + function.iterations
        costs[key] = (count + counted(function), instructions, iterations)
    for name, count in (("[idle]", profile.idle), ("[unresolved]", profile.unresolved)):
        if count:
            costs["-", "-", name] = (count, count, 0)
    return costs


def _calls(profile: Profile, places: _Places) -> Counter[_Edge]:
    calls: Counter[_Edge] = Counter()
    for edge in profile.edges:
        calls[_edge(edge.context, edge.caller, edge.callee, places)] += edge.calls
    return calls


def _inclusive(profile: Profile, places: _Places) -> Counter[_Edge]:
    """Cost of the calls along an edge, with all that they call. An edge known from stacks alone has 0 calls."""
    costs: Counter[_Edge] = Counter()
    for stack in profile.stacks or ():
        context, *names = stack.path
        for caller, callee in set(pairwise(names)):  # once for each path, also where the function calls itself
            costs[_edge(context, caller, callee, places)] += stack.count
    return costs


def _edge(context: str, caller: str, callee: str, places: _Places) -> _Edge:
    return _function(context, caller, places), _function(context, callee, places)


def _function(context: str, name: str, places: _Places) -> _Function:
    """The function that a path names. It may be of an outer context: the callers of a system call are user code."""
    own = next((candidate for candidate in (context, *CONTEXTS) if (candidate, name) in places), "-")
    return places.get((own, name), "-"), own, name


def _named(function: _Function, prefix: str = "") -> Iterator[str]:
    place, context, name = map(one_line, function)
    yield f"{prefix}ob={place}"
    yield f"{'cfi' if prefix else 'fl'}={context}"
    yield f"{prefix}fn={name}"


EXPORT = Export(
    name="callgrind", suffix=".callgrind.out", summary="for KCachegrind and callgrind_annotate", render=render
)
