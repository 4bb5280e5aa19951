# SPDX-License-Identifier: GPL-2.0-only
"""Paths of the command line that the container does not have, and the host may have."""

import sys
from pathlib import Path

import pytest

from kassay import cli
from kassay.effects import distribution


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current directory, as if in the container."""
    (tmp_path / "kassay-image").touch()
    monkeypatch.setattr(distribution, "IMAGE", tmp_path / "kassay-image")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def _errors(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["kassay", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        (("report", "/srv/runs"), "/srv/runs"),
        (("report", "../runs"), "../runs"),
        (("run", "~/no-such.toml"), "~/no-such.toml"),
        (("compare", "mprotect_toggle", "build:/srv/linux@v7.3", "6.17"), "/srv/linux"),
        (("site", "public", "--steps=/srv/steps.toml"), "/srv/steps.toml"),
    ],
)
def test_path_that_is_not_mounted_is_named(
    inside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str], path: str
) -> None:
    errors = _errors(monkeypatch, capsys, *arguments)
    assert errors.endswith(
        f"\n  {path}: not in the container; if it is on the host, name its directory in KASSAY_MOUNT\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "runs"),
        ("report", "/"),
        ("workloads", "origin/x..HEAD"),
        ("report", "/runs"),
        ("kernels", "source", "6.17", "--out", "/srv/new"),
    ],
)
def test_other_errors_are_as_without_the_container(
    inside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str]
) -> None:
    assert "KASSAY_MOUNT" not in _errors(monkeypatch, capsys, *arguments)


def test_without_the_container_nothing_is_said_of_it(
    inside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distribution.IMAGE.unlink()
    assert "KASSAY_MOUNT" not in _errors(monkeypatch, capsys, "report", "/srv/runs")
