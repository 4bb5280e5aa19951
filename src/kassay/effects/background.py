# SPDX-License-Identifier: GPL-2.0-only
"""Questions to other programs, asked once per process and before the answer is needed."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Generic, ParamSpec, TypeVar

from kassay.errors import KassayError

P = ParamSpec("P")
R = TypeVar("R")


class Once(Generic[P, R]):
    """A function that is asked once for the same arguments. Unlike functools.cache, a thread that calls it while
    another one does waits for that answer. Errors are not kept."""

    def __init__(self, function: Callable[P, R]) -> None:
        self._asked = cache(function)
        self._lock = threading.RLock()
        self.__doc__ = function.__doc__
        self.forget = self._asked.cache_clear

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock:
            return self._asked(*args, **kwargs)  # type: ignore[arg-type]  # which must be hashable


def ask_in_background(*questions: Callable[[], object]) -> None:
    """Asks each in a thread of its own and does not wait. Whoever needs the answer asks again, of a function that is
    asked Once, and is told of an error then."""
    for question in questions:
        threading.Thread(target=_ask, args=(question,), daemon=True).start()


def _ask(question: Callable[[], object]) -> None:
    with suppress(KassayError):
        question()
