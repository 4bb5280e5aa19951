# SPDX-License-Identifier: GPL-2.0-only
"""Answer of `kassay predict --without`: time of a kernel on a CPU as it is, and without some of its instructions."""

from kassay.labs.predict.asked import Asked
from kassay.model.records import Record
from kassay.model.texts import listed

WITHOUT_SCHEMA = "kassay-without/1"


class Removal(Record, frozen=True, kw_only=True):
    """Instructions that are left out of a replay, or have the cost of others."""

    functions: tuple[str, ...]
    """Names in the sources. Inlined copies are found where the run kept line tables."""
    mnemonics: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()
    """Replaced mnemonics: (mnemonic, the one whose cost it has)."""

    @property
    def text(self) -> str:
        """The question, as "without walk() and with every xchg at the cost of mov"."""
        left_out = listed((*(f"{name}()" for name in self.functions), *(f"every {word}" for word in self.mnemonics)))
        others = listed(tuple(f"every {word} at the cost of {other}" for word, other in self.replaced))
        return " and ".join(filter(None, (left_out and f"without {left_out}", others and f"with {others}")))

    @property
    def if_replaced(self) -> str:
        """End of a sentence on a trace in which no time changes: replaced instructions may cost the same."""
        return ", or their time stays the same" if self.replaced else ""


class WithoutRow(Record, frozen=True, kw_only=True):
    """One function, per operation."""

    function: str
    now_ns: float
    without_ns: float
    removed: float
    """Instructions of the function that are left out."""


class Without(Asked, frozen=True, kw_only=True):
    """One kernel on one CPU, per operation."""

    now_ns: float | None = None
    without_ns: float | None = None
    interval: tuple[float, float] | None = None
    """Lowest and highest relative change of the time; None if `doubt` says why."""
    level: float | None = None
    """Share of measured changes that lay inside of their interval."""
    instructions: float = 0.0
    """Instructions that the measured task executed."""
    removed: float = 0.0
    """The part of `instructions` that is left out."""
    rows: tuple[WithoutRow, ...] = ()
    """Every function, the largest gain first."""
    doubt: str = ""
    """Reason why there is no interval; "" if there is one."""
    doubts: tuple[str, ...] = ()
    """Doubts of the prediction of the whole trace, as `kassay predict` has them."""
    problem: str = ""
    """Reason why there is no answer; "" if there is one."""

    @property
    def changes(self) -> bool:
        """True if the kernel executes any of the instructions."""
        return bool(self.removed) or self.now_ns != self.without_ns


class WithoutReport(Record, frozen=True, kw_only=True):
    """Gains, for each kernel and CPU."""

    functions: tuple[str, ...]
    instructions: tuple[str, ...]
    answers: tuple[Without, ...]
    kassay_version: str
    replaced: tuple[tuple[str, str], ...] = ()
    schema: str = WITHOUT_SCHEMA

    @property
    def removal(self) -> Removal:
        return Removal(functions=self.functions, mnemonics=self.instructions, replaced=self.replaced)
