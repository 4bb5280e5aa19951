# SPDX-License-Identifier: GPL-2.0-only
"""Formats of arguments in the texts of reasons, by the word behind the colon."""

from collections.abc import Callable, Mapping
from typing import Any

from kassay.model.units import format_change, format_signed


def _signed(value: float) -> str:
    """ "+24 969", "-0.0485": whole from 100 on, else three digits."""
    return format_signed(value, 0) if abs(value) >= 100 else format_signed(float(f"{value:.3g}"), 6)


def _limit(share: float) -> str:
    """ "zero" where nothing differs, else "<0.001 %" or "0.4 %"."""
    return format_change(share).lstrip("+") if share else "zero"


FORMATS: Mapping[str, Callable[[Any], str]] = {
    "change": format_change,
    "signed": _signed,
    "limit": _limit,
    "outcomes": lambda pairs: ", ".join(f"{count} x {name}" for name, count in pairs) or "none was made yet",
    "counts": lambda pairs: ", ".join(f"{name} ({count})" for name, count in pairs),
    "amounts": lambda pairs: ", ".join(f"{amount} {name}" for name, amount in pairs),
}
