# SPDX-License-Identifier: GPL-2.0-only
"""The program as it is started by a shell, but in the process of the test: a process of its own takes half a second."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from kassay.cli import main


class Ended(NamedTuple):
    """How the program ended, and what it wrote."""

    status: int
    out: str
    err: str


Kassay = Callable[..., Ended]


@pytest.fixture
def kassay(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Kassay:
    """Called with the words of a command line, and with variables of the environment."""

    def run(*words: str, **environment: str) -> Ended:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["kassay", *words])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # or it is called "python -m pytest"
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    return run
