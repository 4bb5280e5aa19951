# SPDX-License-Identifier: GPL-2.0-only
"""What a long operation tells whoever wants to show it."""

from collections.abc import Callable

from kassay.model.records import Record


class Progress(Record, frozen=True, kw_only=True):
    """One event. subject: what it is about ("debian:6.17", "run 3/20"). done: 0..1, None when not known."""

    stage: str
    subject: str
    text: str = ""
    done: float | None = None


Tell = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Tells nobody."""
