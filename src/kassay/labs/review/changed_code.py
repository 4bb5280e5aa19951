# SPDX-License-Identifier: GPL-2.0-only
"""Rows of a review on changed code: functions with their lines, and ways out of branches."""

from collections import Counter

from kassay.model.lines import EXECUTED, NO_CODE, NOT_EXECUTED
from kassay.model.records import Record

STATES = {
    EXECUTED: "a setting that was run executed some of the changed lines in its measured part",
    NOT_EXECUTED: "the changed lines have code, and no setting executed any of them in its measured part",
    NO_CODE: "no instruction comes from the changed lines",
}
"""States of the changed lines of one function."""


class ChangedFunction(Record, frozen=True, kw_only=True):
    """The changed lines of one function, and which of them ran in any setting."""

    path: str
    """Path from the top of the sources."""
    function: str
    """Name of the function; empty for lines outside of functions."""
    state: str
    """Word of STATES."""
    executed: tuple[int, ...]
    """Changed lines that ran in a measured part; by their numbers in the patched sources, removed lines by those in
    base. A number that both sources have stands here twice."""
    not_executed: tuple[int, ...]
    """Changed lines that have code and ran in no measured part, numbered likewise."""
    removed_executed: tuple[int, ...] = ()
    """Removed lines of `executed`; empty in answers of earlier versions."""
    removed_not_executed: tuple[int, ...] = ()
    """Removed lines of `not_executed`; empty in answers of earlier versions."""
    patches: tuple[int, ...] = ()
    """Numbers of the patches that change it."""
    cells: int = 0
    """Number of settings that executed the function."""

    @property
    def added_executed(self) -> tuple[int, ...]:
        """Lines of the patched sources that ran."""
        return _without(self.executed, self.removed_executed)

    @property
    def added_not_executed(self) -> tuple[int, ...]:
        """Lines of the patched sources that have code and ran in no measured part."""
        return _without(self.not_executed, self.removed_not_executed)


def _without(numbers: tuple[int, ...], removed: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(numbers) - Counter(removed)).elements()))


class Branch(Record, frozen=True, kw_only=True):
    """A way out of a conditional branch inside a changed function that no setting took."""

    kernel: str
    """base or head."""
    path: str
    function: str
    line: int
    """Line of the branch; 0 if the compiler does not say."""
    way: str
    """Way out that was not taken: "taken" or "not taken", of the machine's branch instruction."""
