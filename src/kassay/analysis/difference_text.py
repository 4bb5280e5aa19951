# SPDX-License-Identifier: GPL-2.0-only
"""An itemised difference in one sentence, its figures no finer than the values they explain."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from kassay.model.profile import base_name
from kassay.model.units import format_number, format_signed, places_of

_NAMED = 4  # functions that a sentence names
_TELLING = range(1, 101)
"""Percent of a change that a sentence gives: of terms that cancel each other a share means nothing."""


class Inside(NamedTuple):
    """A part of a share."""

    name: str
    delta: Fraction
    place: str = ""
    """Source file and line; empty if they are not known."""


class Share(NamedTuple):
    """Part of a difference that one function adds, or several functions that exchanged code."""

    name: str
    delta: Fraction
    exchanged: bool = False
    """True for several functions that exchanged code."""
    inside: tuple[Inside, ...] = ()
    """Largest parts of several functions, or of the functions that are inlined there."""


class DifferenceText(NamedTuple):
    """A difference in one sentence."""

    total: str
    """Size of the difference."""
    parts: str
    """Functions that it consists of."""

    @property
    def whole(self) -> str:
        return f"{self.total}: {self.parts}"


def difference_text(
    total: Fraction, shares: Sequence[Share], unattributed: Fraction, value: float, unit: str
) -> DifferenceText:
    """ "+396.4 instructions/page: f +304, g with h +80, and 7 smaller ones +12.4; those named are 97 % of the change".

    The parts add up to the total as printed: the last one includes the rounding error. value: the larger of the two
    that differ; it sets how many decimals are shown.
    """
    places = places_of(value)
    whole, open_ = round(total, places), round(unattributed, places)
    rest = f"; {format_signed(float(open_), places)} not attributed" if open_ else ""
    if not whole:
        size = f"a difference of less than {10**-places:g} {unit}" if total else f"no difference in {unit}"
        return DifferenceText(size, f"{_largest(shares, places)}{rest}")
    ordered = sorted((share for share in shares if share.delta), key=lambda share: (-abs(share.delta), share.name))
    named = [share for share in ordered[:_NAMED] if round(share.delta, places)]
    figures = [round(share.delta, places) for share in named]
    left = whole - open_ - sum(figures)
    others = len(ordered) - len(named)
    if not others and figures and figures[-1] * (figures[-1] + left) > 0:  # keeps its sign with the rounding error
        figures[-1], left = figures[-1] + left, Fraction(0)
    parts = [
        f"{share.name} {format_signed(float(f), places)}{_inside(share, places)}"
        for share, f in zip(named, figures, strict=True)
    ]
    if left:
        label = f"{others} smaller {'one' if others == 1 else 'ones'}" if others else "rounding"
        parts.append(f"{'and ' if named else ''}{label} {format_signed(float(left), places)}")
    percent = round(sum((share.delta for share in named), Fraction(0)) / total * 100)
    tells = named and others and left and percent in _TELLING
    covered = f"; those named are {percent} % of the change" if tells else ""
    text = f"{', '.join(parts) or 'in no function'}{rest}{covered}"
    return DifferenceText(f"{format_signed(float(whole), places)} {unit}", text)


def _inside(share: Share, places: int) -> str:
    """ " (of it prot_commit_flush_ptes +328, vm_normal_page +80 at mm/memory.c:668)", or " (mm/memory.c:668)" where the
    share is one function of the sources."""
    inside = [part for part in share.inside if round(part.delta, places)]
    if len(inside) == 1 and inside[0].name == base_name(share.name):
        return f" ({inside[0].place})" if inside[0].place else ""
    texts = [
        f"{part.name} {format_signed(float(part.delta), places)}{f' at {part.place}' if part.place else ''}"
        for part in inside
    ]
    return f" (of it {', '.join(texts)})" if texts else ""


def _largest(shares: Sequence[Share], places: int) -> str:
    largest = max((abs(share.delta) for share in shares), default=Fraction(0))
    if not largest:
        return "no function changed"
    bound = Fraction(math.ceil(largest * 10**places), 10**places)  # upwards: "more than" must stay true
    subject = "no function or group that exchanged code" if any(share.exchanged for share in shares) else "no function"
    return f"{subject} changed by more than {format_number(float(bound))}"
