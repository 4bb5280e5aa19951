# SPDX-License-Identifier: GPL-2.0-only
"""The stand-in's command line refuses words that it cannot act on."""

import sys
from pathlib import Path

import pytest

from tests.standin.__main__ import main


def test_a_directory_without_a_stand_in_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["standin", "stop", str(tmp_path / "gone")])
    assert main() == 2
    assert f"{tmp_path}/gone: No such file or directory\n  name the directory" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("link", "."), ("reset", ".", "on")])
def test_only_link_takes_on_or_off(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setattr(sys, "argv", ["standin", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
