# SPDX-License-Identifier: GPL-2.0-only
"""`kassay site`: from a history to pages."""

from pathlib import Path

import pytest

from kassay.tools.history.add import add
from kassay.tools.history.archive import writing
from tests.commands.conftest import Kassay, kassay
from tests.site.test_contents import pair

__all__ = ["kassay"]
pytestmark = pytest.mark.slow  # files of a database


def test_history_becomes_a_site(kassay: Kassay, tmp_path: Path) -> None:
    with writing(tmp_path / "h.duckdb") as archive:
        add(archive, pair("6.16.12", "6.17.13"))
    done = kassay("site", str(tmp_path / "site"), "--from", str(tmp_path / "h.duckdb"), "--title", "Costs here")
    assert done.status == 0
    assert "files, " in done.out
    home = (tmp_path / "site" / "index.html").read_text()
    assert "<h1>Costs here</h1>" in home and "6.17.13" in home


def test_history_without_comparisons_says_what_to_do(kassay: Kassay, tmp_path: Path) -> None:
    with writing(tmp_path / "h.duckdb") as archive:
        add(archive, pair("6.16.12", "6.17.13", comparisons=()))
    done = kassay("site", str(tmp_path / "site"), "--from", str(tmp_path / "h.duckdb"))
    assert done.status != 0 and "kassay history add" in done.err
    assert not (tmp_path / "site").exists()


def test_address_of_no_web_server_is_refused(kassay: Kassay, tmp_path: Path) -> None:
    done = kassay("site", str(tmp_path / "site"), "--address", "javascript:alert(1)")
    assert done.status != 0 and "begin it with https://" in done.err
