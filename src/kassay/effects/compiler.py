# SPDX-License-Identifier: GPL-2.0-only
"""kassay's own C sources: where they are, what they hash to, and what a compiler makes of them on this host."""

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from kassay.effects import process
from kassay.effects.files import write_atomic
from kassay.errors import Defect

COMPILER = "gcc"
"""Of what runs on this host. The measured machine's programs may need that of another architecture."""
_PACKAGE = Path(__file__).resolve().parents[1]


def sources(folder: str, known_by: str, whose: str) -> Path:
    """A folder of C sources: of a checkout ("core"), or inside the installed package ("_core").

    known_by: a file that it has. whose: for the error, Defect, when it is in neither.
    """
    for candidate in (_PACKAGE / f"_{folder}", _PACKAGE.parents[1] / folder):
        if (candidate / known_by).is_file():
            return candidate
    raise Defect(f"{_PACKAGE}: {whose} sources are not part of this installation")


def digest(files: Iterable[tuple[str, Path]], made_with: object = None) -> str:
    """A sha256 over names and contents, in the order given. made_with: what else decides the result, as flags do."""
    found = hashlib.sha256(b"" if made_with is None else repr(made_with).encode())
    for name, path in files:
        found.update(f"\0{name}\0".encode() + path.read_bytes())
    return found.hexdigest()


@cache
def version(compiler: str = COMPILER) -> str:
    """First line of what a compiler that is there says of itself."""
    return process.run((compiler, "--version")).out.partition("\n")[0]


def compiled(argv: Sequence[str], made: Path, cwd: Path) -> str:
    """Runs a compiler. Returns "" when `made` is there then, else the first error it printed."""
    done = process.run(argv, cwd=cwd, timeout_s=120)
    if done.status == 0 and made.is_file():
        return ""
    return next((line for line in done.err.splitlines() if "error" in line), done.err.strip()[-200:])


def program(cached: Path, argv: Sequence[str], cwd: Path) -> str:
    """Compiles a program into its place in the cache. argv: all but "-o FILE". Returns "", or the first error."""
    with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
        made = Path(scratch) / "program"
        problem = compiled((*argv, "-o", str(made)), made, cwd)
        if not problem:
            write_atomic(cached, made.read_bytes(), mode=0o755)
    return problem
