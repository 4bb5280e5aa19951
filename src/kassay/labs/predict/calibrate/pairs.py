# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate NAME --pairs FILE`: the interval section of a timing file, from measured changes."""

from pathlib import Path

from msgspec.structs import replace

from kassay.effects import files
from kassay.errors import BadInput
from kassay.labs.predict.calibrate.text import timing_text
from kassay.labs.predict.changes import Learned, learn, read_changes
from kassay.labs.predict.timing import calibrations, like_of, path_of, timing_for, timings


def learn_file(name: str, pairs: Path, out: Path | None) -> tuple[Path, Learned]:
    """Writes the file NAME with its new interval; a shipped one only to `out`.

    Raises BadInput where the changes were predicted by another timing file, where there are too few, and for a file
    that may not be written over.
    """
    changes = read_changes(pairs)
    timing = timing_for(name)
    if changes.cpu != timing.name:
        raise BadInput(f"{pairs}: predicted with the timing file {changes.cpu!r}, not with {timing.name!r}",
                       f"predict them with {timing.name}, or calibrate {changes.cpu}")  # fmt: skip
    path = out or (Path(name) if name.endswith(".toml") else timings()[timing.name])
    if out is None and not name.endswith(".toml") and not path.is_relative_to(calibrations()):
        raise BadInput(f"{name} is a file of kassay's own", "write the result elsewhere with --out FILE.toml")
    learned = learn(
        changes, source=f"{len(changes.pairs)} measured changes ({pairs.name}), each predicted without itself"
    )
    like = like_of(path_of(name).read_text(encoding="utf-8"))
    files.write_atomic(path, timing_text(replace(timing, interval=learned.table), like).encode())
    timing_for.cache_clear()
    return path, learned
