# SPDX-License-Identifier: GPL-2.0-only
"""One piece of fuzzing by Atheris, as a process of its own.

usage: python -m benchmarks.trials.worker TARGET DIR MADE [libFuzzer's options]     MADE: "-", or a measured directory

DIR gets corpus/, finds/ and executions, a counter of 8 bytes that a kill cannot lose. An input that raises what its
parser does not document is kept in finds/ with the traceback, once for each place, and fuzzing goes on.
"""

import hashlib
import mmap
import resource
import struct
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import atheris

_MEMORY = 6 << 30
_DEPTH = 3


def counter(path: Path) -> mmap.mmap:
    """The 8 bytes of a counter file, mapped; made when missing."""
    if not path.is_file() or path.stat().st_size != 8:
        path.write_bytes(bytes(8))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 8)


def place_of(error: BaseException) -> str:
    """A name for the cause: the exception's type and the innermost lines of kassay."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/kassay/" in f.filename]
    lines = [f"{f.filename.rpartition('/kassay/')[2]}:{f.name}" for f in frames[-_DEPTH:]]
    return " ".join([type(error).__name__, *lines])


def keep_find(directory: Path, error: BaseException, data: bytes) -> None:
    """Keeps an input and its traceback; the shortest input of each place stays."""
    place = place_of(error)
    path = directory / hashlib.sha256(place.encode()).hexdigest()[:16]
    if path.is_file() and path.stat().st_size <= len(data):
        return
    directory.mkdir(exist_ok=True)
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(f"{place}\n\n{''.join(traceback.format_exception(error))}")


def _entry(name: str, directory: Path, made: Path | None) -> Callable[[bytes], None]:
    from benchmarks.trials.target import attempt, target_of

    target = target_of(name)
    corpus = directory / "corpus"
    corpus.mkdir(exist_ok=True)
    for seed in target.seeds(made):
        if len(seed) <= target.longest:
            (corpus / f"seed-{hashlib.sha256(seed).hexdigest()[:16]}").write_bytes(seed)
    executions = counter(directory / "executions")
    (count,) = struct.unpack("<Q", executions[:])

    def entry(data: bytes) -> None:
        nonlocal count
        error = attempt(target, data)
        if error is not None:
            keep_find(directory / "finds", error, data)
        count += 1
        executions[:] = struct.pack("<Q", count)

    return entry


def main() -> None:
    """Fuzzes until libFuzzer's options end it."""
    name, directory, made, *options = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with atheris.instrument_imports(include=["kassay"]):
        entry = _entry(name, Path(directory), None if made == "-" else Path(made))
    from benchmarks.trials.target import target_of

    limits = (f"-max_len={target_of(name).longest}", "-timeout=20", "-rss_limit_mb=3000")
    prefix = f"-artifact_prefix={directory}/"
    atheris.Setup([sys.argv[0], *limits, prefix, *options, f"{directory}/corpus"], entry)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
