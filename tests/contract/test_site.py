# SPDX-License-Identifier: GPL-2.0-only
"""Does the site of docs/ build without a broken link, with search, and without anything from another host?"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT

_LOADED = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=[\"']?(?:https?:)?//|<link[^>]*\shref=[\"']?(?:https?:)?//")


@pytest.mark.slow
def test_site_builds_strictly_and_loads_nothing_from_another_host(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr

    made = {path.relative_to(tmp_path).with_suffix("") for path in tmp_path.rglob("*.html")}
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    assert {page.with_name("index") if page.name == "README" else page for page in pages} <= made
    assert [str(path) for path in tmp_path.rglob("*.html") if _LOADED.search(path.read_text("utf-8"))] == []
    styles = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import\s+)[\"']?(?:https?:)?//[^)\s]*", styles) == []

    index = json.loads((tmp_path / "search" / "search_index.json").read_text("utf-8"))
    assert any("Hodges" in entry["text"] for entry in index["docs"])
