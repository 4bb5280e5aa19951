# SPDX-License-Identifier: GPL-2.0-only
"""A disk that fails in any place of a command ends it with a sentence, not as a defect."""

import errno
import os

import pytest

from tests.commands.conftest import Kassay


def test_an_unexpected_error_of_the_disk_is_no_defect(kassay: Kassay, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kassay.commands.doctor.arch_of", full)
    status, _, err = kassay("doctor")
    assert (status, "the disk is full" in err, "defect" in err) == (3, True, False)


def test_a_directory_that_may_not_be_searched_is_no_defect(kassay: Kassay, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/home/other/runs")

    monkeypatch.setattr("kassay.commands.doctor.arch_of", refused)
    status, _, err = kassay("doctor")
    assert (status, "/home/other/runs: Permission denied" in err, "defect" in err) == (3, True, False)
