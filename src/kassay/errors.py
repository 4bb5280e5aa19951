# SPDX-License-Identifier: GPL-2.0-only
"""Everything that can end a command early, with the exit status of each; and suggestions for a wrong name.

KassayError
├── BadInput            2  the user's words: an unknown key, kernel, workload, file
├── HostLacks           3  this host cannot do it: no QEMU, no network, disk full, KVM unusable
└── Defect              5  kassay itself is wrong: an invariant did not hold

The other statuses are answers, not errors: 0 answered, and with --exit-code 1 REGRESSION, 4 NO_PASS.
"""

import re
from collections.abc import Iterable

REGRESSION = "a phase of a workload is a regression or, if the workload was refused, the call that it mostly makes"
NO_PASS = "a comparison was refused, a kernel is missing, or nothing was decided"


class KassayError(Exception):
    """what: the problem and where it is. remedy: what the user can do. Together one to three lines."""

    status = 5

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  {self.remedy}" if self.remedy else self.what


class BadInput(KassayError):
    """Input of the user that cannot be understood or does not exist."""

    status = 2


class HostLacks(KassayError):
    """This host cannot do what was asked; `remedy` says what to install or change."""

    status = 3


class Defect(KassayError):
    """An invariant of kassay does not hold; users should report it."""

    status = 5


class NotBuilt(BadInput):
    """The sources do not become a kernel: a patch does not apply, a symbol cannot be had, the compiler refuses them.

    log: the build's log, "" where there is none.
    """

    def __init__(self, what: str, remedy: str = "", log: str = "") -> None:
        super().__init__(what, remedy)
        self.log = log


def unknown(what: str, name: str, known: Iterable[str]) -> BadInput:
    """The error to raise. what: the sentence up to the name, such as "unknown workload"."""
    return BadInput(f"{what} {name!r}", nearest_of(name, known))


_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_LACKS = re.compile(r"Object missing required field `(.*)`")
_OTHER = re.compile(r"Expected `(\w+)(?: \| \w+)*`, got `(\w+)`")
_KINDS = {
    "array": "a list in brackets", "str": "a text in quotes", "int": "a number", "float": "a number",
    "bool": "true or false", "object": "a table",
}  # fmt: skip


def wrong_value(error: Exception) -> str:
    """The words of a msgspec.ValidationError for people who wrote TOML: "suites: write a list in brackets"."""
    text = str(error)
    place = found[1] if (found := _PLACE.search(text)) else ""
    what = _PLACE.sub("", text)
    if lacks := _LACKS.fullmatch(what):
        what = f"the key {lacks[1]} is missing"
    elif (other := _OTHER.fullmatch(what)) and other[1] in _KINDS:
        what = f"write {_KINDS[other[1]]}"
    return f"{place}: {what}" if place else what


def nearest_of(name: str, known: Iterable[str]) -> str:
    """ "did you mean page_fault? known: calibrate, page_fault"; without the question if no name is similar."""
    names = tuple(known)
    near = nearest(name, names)
    guess = f"did you mean {near}? " if near else ""
    return f"{guess}known: {', '.join(names)}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `name`, None if no name is similar; upper and lower case are equal."""
    import difflib  # late: only an error needs it

    lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    return lower[near[0]] if near else None
