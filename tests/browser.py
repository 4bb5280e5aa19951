# SPDX-License-Identifier: GPL-2.0-only
"""A real browser without a window."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

_SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --virtual-time-budget=5000 --window-size=1500,1000 --dump-dom"
)


def dom(address: str, directory: Path, *, dark: bool = False) -> str:
    """HTML of a page after five seconds of its own time. directory: for the browser's own files."""
    argv = ["chromium", *_SWITCHES.split(), f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            f"--user-data-dir={directory / 'profile'}", address]  # fmt: skip
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True).stdout


def title(text: str, directory: Path, *, dark: bool = False) -> Any:
    """Opens a page in the browser; what its script put into the title, read as JSON."""
    (directory / "frame.html").write_text(text)
    found = re.search(r"<title>(.*?)</title>", page := dom(f"file://{directory}/frame.html", directory, dark=dark))
    assert found is not None, page[-500:]
    return json.loads(html.unescape(found.group(1)))
