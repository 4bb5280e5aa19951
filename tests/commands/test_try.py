# SPDX-License-Identifier: GPL-2.0-only
"""kassay try shows what a program wrote, good or failed; it has no options of an answer."""

from importlib import import_module
from pathlib import Path

import pytest

from kassay.journal import artifacts
from tests.commands.conftest import Kassay
from tests.guest.frames import frame

said_by = import_module("kassay.commands.try").said_by


def test_what_a_failed_program_wrote_is_read_from_its_stream(tmp_path: Path) -> None:
    stream = b"".join((
        frame("file", "after:kassay/program/output", b"hello 1\n\x1e\nhello 2\n\x1e\n"),
        frame("file", "after:kassay/program/errors", b"no such thing\n"),
        frame("error", "-", b"program: ended with status 3"),
    ))  # fmt: skip
    name = artifacts.put(tmp_path, stream)
    assert said_by(tmp_path, name) == (("standard output", "hello 1\n"), ("standard error", "no such thing\n"))
    assert said_by(tmp_path, artifacts.put(tmp_path, stream[:-3])) == said_by(tmp_path, None) == ()


@pytest.mark.parametrize("option", [("--exit-code",), ("--suite", "mm"), ("--predict", "zen4"), ("--repeats", "3")])
def test_an_option_of_an_answer_does_not_exist(kassay: Kassay, option: tuple[str, ...]) -> None:
    status, _, err = kassay("try", "mprotect_toggle", "image:/nowhere", *option)
    assert status == 2 and f"No such option: {option[0]}" in err
