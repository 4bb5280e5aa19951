# SPDX-License-Identifier: GPL-2.0-only
"""Progress of kassay's own C sources, which are compiled when they are first needed, deep below what asked for them.

Quick to import: every command does that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kassay.model.progress import Tell

_listeners: "list[Tell]" = []


@contextmanager
def reporting_compilations(tell: "Tell") -> Iterator[None]:
    """Until the block ends, `tell` gets an event for each program that is compiled. The innermost block's one does."""
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


def report_compilation(subject: str) -> None:
    """Says that a program is about to be compiled. subject: what it is ("core model")."""
    from kassay.model.progress import Progress

    for tell in _listeners[-1:]:
        tell(Progress(stage="compile", subject=subject))
