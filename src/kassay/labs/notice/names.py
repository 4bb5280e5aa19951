# SPDX-License-Identifier: GPL-2.0-only
"""Check that the functions which a user named are functions of the kernels: an inlined one would seem to cost 0."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path

from kassay import answers
from kassay.errors import BadInput, nearest
from kassay.labs.notice.applications import paths_of
from kassay.labs.notice.kernels import Wanted, kernels_in
from kassay.labs.notice.paths import KernelPath
from kassay.model.profile import base_name
from kassay.model.texts import listed, shortened

_CALLERS = 3  # that an error names


def check_in_runs(names: Collection[str], directory: Path, wanted: Wanted) -> None:
    """Raises BadInput for a name that a kernel lacks, with the callers of that function on the other kernel."""
    asked = kernels_in(directory, wanted)
    profiles = answers.profiles(directory, asked, None)
    known = {
        kernel.label: {*map(base_name, profile.known)} for kernel, profile in zip(wanted.all, profiles, strict=True)
    }

    def paths() -> Iterator[KernelPath]:
        profiles = (profile for paired in answers.paired(directory, asked) for profile in paired.profiles)
        return chain.from_iterable(paths_of(profile).paths for profile in profiles)

    check_names(names, known, paths)


def check_names(
    names: Collection[str], known: dict[str, set[str]], paths: Callable[[], Iterable[KernelPath]]
) -> None:  # fmt: skip
    """known: all functions of each kernel, by its label. paths: call paths of the kernels, read only for an error."""
    for name in sorted(names):
        lacking = [label for label, functions in known.items() if name not in functions]
        if lacking and len(lacking) == len(known):
            near = nearest(name, set().union(*known.values()))
            guess = f"did you mean {near}? " if near else ""
            remedy = f"{guess}A function that the compiler inlined is part of its caller: name that one"
            raise BadInput(f"no function {name} in {' or '.join(lacking)}", remedy)
        if lacking:
            shared = set.intersection(*known.values())
            callers = listed(shortened(_callers(name, paths(), shared), _CALLERS))
            having = next(label for label in known if label not in lacking)
            lists = f"`kassay profile DIR --kernel {having} --export folded` lists call paths"
            raise BadInput(
                f"{lacking[0]} has no function {name} of its own: it is inlined into its callers, or it does not exist",
                f"name a caller that both kernels have: {callers or lists}",
            )


def _callers(name: str, paths: Iterable[KernelPath], shared: set[str]) -> list[str]:
    """For each path to the function its nearest caller that all kernels have, the most expensive one first."""
    costs: defaultdict[str, float] = defaultdict(float)
    for path in paths:
        outer = path.functions[: path.functions.index(name)] if name in path.functions else ()
        caller = next((function for function in reversed(outer) if function in shared), "")
        costs[caller] += path.cost
    return sorted(filter(None, costs), key=lambda caller: (-costs[caller], caller))
