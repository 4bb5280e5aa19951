# SPDX-License-Identifier: GPL-2.0-only
"""A fuzzing target: one kind of input from outside, real examples of it, and the parser that must read or refuse it."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kassay.errors import BadInput, HostLacks, KassayError

REFUSALS: tuple[type[Exception], ...] = (BadInput, HostLacks)
"""Errors with which a parser may refuse an input."""


class Target(NamedTuple):
    """One parser, or several parsers that read the same text."""

    title: str
    """The kind of input, as docs/results/trials.md names it."""
    seeds: Callable[[Path | None], Iterable[bytes]]
    """Real inputs. The argument is a directory that kassay measured, or None where none was made."""
    run: Callable[[bytes], object]
    """Parses one input."""
    refusals: tuple[type[Exception], ...] = REFUSALS
    """Errors that the parser documents. Any other exception is a find."""
    longest: int = 1 << 16
    """Bytes of the longest input to try."""


@cache
def targets() -> Mapping[str, Target]:
    """All Python targets by name, found by their place in targets/."""
    return {name: target_of(name) for name in names()}


@cache
def names() -> tuple[str, ...]:
    """Names of the Python targets."""
    package = importlib.import_module("benchmarks.trials.targets")
    return tuple(sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_")))


def target_of(name: str) -> Target:
    """One target; only its own module is imported."""
    target = importlib.import_module(f"benchmarks.trials.targets.{name}").TARGET
    assert isinstance(target, Target), name
    return target


def attempt(target: Target, data: bytes) -> Exception | None:
    """The exception that is a find, or None when the input was read or refused."""
    try:
        target.run(data)
    except target.refusals as error:
        return error if isinstance(error, KassayError) and not str(error).strip() else None
    except Exception as error:  # a find, whatever it is
        return error
    return None
