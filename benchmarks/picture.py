# SPDX-License-Identifier: GPL-2.0-only
"""The picture of a report in README.md: the first screen of a run directory's page, in headless Chromium.

python -m benchmarks.picture kassay-out/demo docs/report.png
"""

import subprocess
import sys
import tempfile
from pathlib import Path

_WIDTH, _HEIGHT = 1000, 1220
_MOST = 200_000
"""Bytes that the picture may take."""


def main(directory: Path, picture: Path) -> None:
    page = (directory / "report.html").resolve()
    with tempfile.TemporaryDirectory(prefix="kassay-picture-") as scratch:
        argv = (
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
            "--blink-settings=preferredColorScheme=1", f"--user-data-dir={scratch}", "--virtual-time-budget=5000",
            f"--window-size={_WIDTH},{_HEIGHT}", f"--screenshot={picture.resolve()}", f"file://{page}",
        )  # fmt: skip
        subprocess.run(argv, check=True, capture_output=True, timeout=120)
    size = picture.stat().st_size
    assert size <= _MOST, f"{picture} has {size} bytes, more than {_MOST}"
    print(f"{picture}: {size} bytes, from {page}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
