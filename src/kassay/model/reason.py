# SPDX-License-Identifier: GPL-2.0-only
"""A reason: a code with its arguments. Its text is in reason_texts.py, and nowhere else."""

from typing import TypeAlias

from kassay.model.records import Record

_Single: TypeAlias = str | int | float


class Reason(Record, frozen=True, kw_only=True):
    """One fact that is told to people: why a verdict is what it is, what must be disclosed, what was not possible."""

    code: str
    """A key of reason_texts.TEXTS."""
    kernel: str = ""
    """Label of the kernel whose side it concerns; "" if it concerns no single one."""
    arguments: "tuple[tuple[str, Value], ...]" = ()
    """Arguments as (name, value), in the order of their names in the text. A value may be the reason behind this one,
    or pairs, as of a name and a count."""

    def __str__(self) -> str:
        raise TypeError("a reason is made into text by reason_texts.reason_text()")

    def __getitem__(self, name: str) -> "Value":
        """The argument with this name. Raises KeyError."""
        return dict(self.arguments)[name]

    def of(self, kernel: str) -> "Reason":
        """The same, concerning this kernel."""
        return Reason(code=self.code, kernel=kernel, arguments=self.arguments)


Value: TypeAlias = _Single | tuple[tuple[str, _Single], ...] | Reason | None


def reason(code: str, kernel: str = "", /, **arguments: Value) -> Reason:
    """A reason; the table of all codes and their arguments is reason_texts.TEXTS."""
    return Reason(code=code, kernel=kernel, arguments=tuple(arguments.items()))


def own_words(text: str, kernel: str = "") -> Reason:
    """A reason whose text comes from another program, or from a rule that is no part of kassay; it is shown
    unchanged."""
    return reason("own-words", kernel, text=text)
