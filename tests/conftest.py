# SPDX-License-Identifier: GPL-2.0-only
"""Settings of every test. No test asserts a wall time, hypothesis included: the cores are shared.

Hypothesis tries few examples in `make check`, 150 in `make test`, which says --hypothesis-profile=thorough, and 25
otherwise, for instance in slow tests. A test has a number of its own only where an example of it is slow.
"""

import atexit
import gc
from pathlib import Path

import pytest
from hypothesis import settings

from tests import own_cache
from tests.source import by_kind

settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("usual", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=150)
settings.load_profile("usual")
# Modules and parsed sources stay, and thousands of tests make the collector look at them again: a fifth of all time.
gc.set_threshold(50_000, 20, 100)


def pytest_configure(config: pytest.Config) -> None:
    """Nothing of the user's cache is written to; processes of xdist inherit this one's."""
    if not hasattr(config, "workerinput"):
        own_cache.use()


def pytest_sessionfinish() -> None:
    """pytest looks for leaked errors ten times, in all objects each time. One time finds them."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Hypothesis leaves a callback with the garbage collector. Modules that it reaches outlive the interpreter, and
    the binding of duckdb then prints every type and function of its own as leaked. Syntax trees are dropped before, so
    that the last collection does not look at them."""
    gc.callbacks.clear()
    by_kind.cache_clear()
    atexit.register(gc.unfreeze)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory; nothing of the user's is touched."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kassay"
