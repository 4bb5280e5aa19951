# SPDX-License-Identifier: GPL-2.0-only
"""Unified diffs."""

from collections.abc import Iterator
from pathlib import Path

from tests.building.test_hunks import MAIL

from benchmarks.trials.target import Target
from kassay.supply.building.hunks import hunks_of, parse, place_of, text_of
from kassay.supply.building.mails import is_mail


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield MAIL.encode()
    yield b"From a Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH 1/2] mm: x\nDate: now\n\n" + MAIL.encode()


def _run(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    is_mail(data)
    files = parse(text)
    again = parse("".join(text_of(file, file.hunks) for file in files))
    assert len(again) >= len([file for file in files if file.hunks]), "a file of the diff was lost"
    for file, hunk in hunks_of(text):
        place_of(file, hunk)
        _ = hunk.changes


TARGET = Target("diffs", _seeds, _run)
