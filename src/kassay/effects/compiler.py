# SPDX-License-Identifier: GPL-2.0-only
"""kassay's own C sources: where they are, what they hash to, and what a compiler makes of them on this host."""

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from kassay.effects import process
from kassay.effects.background import Once
from kassay.effects.compiling import report_compilation
from kassay.effects.files import is_whole, write_checked
from kassay.errors import Defect

COMPILER = "gcc"
"""Compiler of programs that run on this host. Programs of the measured machine may need a cross compiler."""
_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def sources(folder: str, known_by: str, whose: str) -> Path:
    """A folder of C sources: of a checkout ("core"), or inside the installed package ("_core").

    known_by: a file in that folder. whose: a word for the error (Defect) when neither place has it.
    """
    for candidate in (_PACKAGE / f"_{folder}", _PACKAGE.parents[1] / folder):
        if (candidate / known_by).is_file():
            return candidate
    raise Defect(f"{_PACKAGE}: {whose} sources are not part of this installation")


def digest(files: Iterable[tuple[str, Path]], made_with: object = None) -> str:
    """A sha256 over names and contents, in the order given. made_with: everything else that the result depends on, such
    as flags."""
    sha256 = hashlib.sha256(b"" if made_with is None else repr(made_with).encode())
    for name, path in files:
        sha256.update(f"\0{name}\0".encode() + path.read_bytes())
    return sha256.hexdigest()


@Once
def version(compiler: str) -> str:
    """First line of a compiler's --version; the compiler must be installed."""
    return process.run((compiler, "--version")).out.partition("\n")[0]


def compiled(subject: str, argv: Sequence[str], output: Path, cwd: Path) -> str:
    """Runs a compiler. subject: what it makes, for progress. Returns "" when it made the file `output`, else the first
    error it printed."""
    report_compilation(subject)
    done = process.run(argv, cwd=cwd, timeout_s=120)
    if done.status == 0 and output.is_file():
        return ""
    return next((line for line in done.err.splitlines() if "error" in line), done.err.strip()[-200:])


def program(subject: str, cached: Path, argv: Sequence[str], cwd: Path) -> str:
    """Compiles a program into its place in the cache, if it is not there. argv: all but "-o FILE". Returns as
    compiled()."""
    if is_whole(cached):
        return ""
    with tempfile.TemporaryDirectory(prefix="kassay-cc-") as scratch:
        output = Path(scratch) / "program"
        problem = compiled(subject, (*argv, "-o", str(output)), output, cwd)
        if not problem:
            write_checked(cached, output.read_bytes(), mode=0o755)
    return problem
