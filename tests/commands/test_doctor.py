# SPDX-License-Identifier: GPL-2.0-only
"""The last line of kassay doctor is one command that installs everything that is missing."""

import pytest

from kassay.commands._doctor_probes import missing_packages, show
from kassay.effects import process
from kassay.effects.distribution import install
from kassay.model.machine import MachineProbe


def test_one_command_installs_everything_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process, "find", lambda program: None if program in ("flex", "qemu-system-x86_64") else program)
    monkeypatch.setattr("kassay.supply.building.compilers._has_header", lambda header: False)
    compiler = MachineProbe(name="compiler", usable=False, detail="no static C library")
    missing = missing_packages("x86_64", [compiler])
    assert set(missing) >= {"qemu-system-x86", "gcc", "libc6-dev", "flex", "libelf-dev"}
    show([compiler], missing)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith(install(*missing))


def test_a_host_that_lacks_nothing_is_told_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(process, "find", lambda program: program)
    monkeypatch.setattr("kassay.supply.building.compilers._has_header", lambda header: True)
    compiler = MachineProbe(name="compiler", usable=True, detail="built the guest's init, static")
    show([compiler], missing_packages("x86_64", [compiler]))
    assert "missing" not in capsys.readouterr().out
