# SPDX-License-Identifier: GPL-2.0-only
"""Runs kassay as its user does, with a directory of extensions."""

import os
import sys
from pathlib import Path
from typing import NamedTuple

from kassay.effects.files import cache_directory
from kassay.effects.process import Completed, run
from kassay.registry import EXTENSIONS

ROOT = Path(__file__).parents[2]


def documented_examples() -> dict[str, str]:
    """The examples that docs/how-to/extending.md describes: path in a directory of extensions -> text."""
    examples = ROOT / "examples" / "extending"
    files = [path for path in examples.rglob("*") if path.suffix in (".py", ".c")]
    return {str(path.relative_to(examples)): path.read_text("utf-8") for path in files}


class Outside(NamedTuple):
    """A directory of extensions, and a working directory beside it. source: of another kassay than the tested one."""

    extensions: Path
    work: Path
    source: Path | None = None

    def add(self, name: str, text: str) -> None:
        """Writes the one file of an extension. name: its path, as in src/kassay."""
        path = self.extensions / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def kassay(self, *words: str, status: int = 0) -> str:
        """Output of a command, both streams. Asserts that it ends with `status`."""
        done = self.ended(*words)
        assert done.status == status, done.out + done.err
        return done.out + done.err

    def ended(self, *words: str) -> Completed:
        """A command, however it ends."""
        own = {EXTENSIONS: str(self.extensions), "XDG_CACHE_HOME": str(self.work / "cache")}
        if self.source is not None:
            own["PYTHONPATH"] = str(self.source / "src")
        environment = {**os.environ, **own, "COLUMNS": "200", "NO_COLOR": "1"}
        argv = (sys.executable, "-c", "from kassay.cli import main; main()", *words)
        return run(argv, cwd=self.work, env=environment, timeout_s=300)


def outside(tmp_path: Path, source: Path | None = None) -> Outside:
    """With nothing added yet. Its cache is its own, but for what takes seconds to compile."""
    found = Outside(tmp_path / "extensions", tmp_path / "work", source)
    found.extensions.mkdir(parents=True)
    usual = cache_directory()
    cache = found.work / "cache" / usual.name
    cache.mkdir(parents=True)
    for name in ("guest", "plugin", "symbols"):
        (usual / name).mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(usual / name)
    return found
