# SPDX-License-Identifier: GPL-2.0-only
"""A question that several threads have is asked once, and an error is no answer."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kassay.effects.background import Once, ask_in_background
from kassay.errors import HostLacks


def test_threads_that_ask_at_once_get_one_answer() -> None:
    together = threading.Barrier(4)
    asked: list[str] = []

    @Once
    def version(program: str) -> str:
        asked.append(program)
        return f"{program} 7.2"

    def ask(_: int) -> str:
        together.wait(10)
        return version("qemu")

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {"qemu 7.2"}
    assert asked == ["qemu"]
    assert version("gcc") == "gcc 7.2"
    version.forget()
    assert version("qemu") == "qemu 7.2"
    assert asked == ["qemu", "gcc", "qemu"]


def test_background_answer_is_kept_and_its_error_is_raised_when_needed() -> None:
    begun, answered = threading.Event(), threading.Event()
    found: list[str] = []

    @Once
    def version() -> str:
        begun.set()
        answered.wait(10)
        if not found:
            raise HostLacks("qemu: not found on this host", "install it")
        return found[0]

    ask_in_background(version)
    assert begun.wait(10)
    answered.set()
    with pytest.raises(HostLacks, match="not found"):
        version()
    found.append("7.2")
    assert version() == "7.2"
