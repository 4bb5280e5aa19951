# SPDX-License-Identifier: GPL-2.0-only
"""What an error says of a name that nothing has: which known one is nearest, and which ones there are."""

from collections.abc import Iterable

from kassay.errors import BadInput


def unknown(what: str, name: str, known: Iterable[str]) -> BadInput:
    """The error to raise. what: the sentence up to the name, such as "unknown workload"."""
    return BadInput(f"{what} {name!r}", nearest_of(name, known))


def nearest_of(name: str, known: Iterable[str]) -> str:
    """ "did you mean page_fault? known: calibrate, page_fault"; without the question where nothing is near."""
    names = tuple(known)
    near = nearest(name, names)
    guess = f"did you mean {near}? " if near else ""
    return f"{guess}known: {', '.join(names)}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `name`, None where none is; capitals do not count."""
    import difflib  # late: only an error needs it

    lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return lower[near[0]] if near else None
