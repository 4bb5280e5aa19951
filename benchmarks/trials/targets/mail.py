# SPDX-License-Identifier: GPL-2.0-only
"""Mails and mailboxes of patches.

git splits and decodes them, one process for a mailbox and one for each mail. Here git starts without setpriv, which
takes twice as long as git itself.
"""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from tests.building.test_hunks import MAIL

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.effects import process
from kassay.supply.building.patches import check_patches


def _mail(number: int) -> bytes:
    return (b"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A B <a@b.org>\n"
            b"Date: Mon, 1 Jan 2026 00:00:00 +0000\n"
            b"Subject: [PATCH v2 %d/2] =?UTF-8?q?mm:_x?=\nContent-Type: text/plain; charset=UTF-8\n\nA.\n---\n" % number
            + MAIL.encode() + b"-- \n2.39\n\n")  # fmt: skip


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield _mail(1) + _mail(2)
    yield MAIL.encode()


def _run(data: bytes) -> None:
    with patch.object(process, "_dying_with_parent", tuple):
        check_patches(written("a.mbox", data))


TARGET = Target("mails", _seeds, _run, longest=1 << 14)
