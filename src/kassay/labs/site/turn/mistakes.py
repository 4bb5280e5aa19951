# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes that a laboratory published: steps that their fresh pair refutes, and those that people write down.

People write mistakes.toml. The file stands beside steps.toml. Without it there are only the refuted steps.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from kassay.errors import BadInput
from kassay.labs.site.model import Mistake, SiteStep
from kassay.labs.site.pages.addresses import step_path
from kassay.labs.site.turn.steps_file import Entry
from kassay.model.records import Record, from_plain
from kassay.model.units import format_change

GONE = "cannot be measured again"
"""Beginning of the text of a step of which a kernel is gone. Files of earlier versions call it not confirmed."""
_NAME = "mistakes.toml"


class _File(Record, frozen=True, kw_only=True):
    mistake: tuple[Mistake, ...] = ()


def mistakes(steps: Iterable[SiteStep], entries: Iterable[Entry], steps_file: Path) -> tuple[Mistake, ...]:
    """All mistakes, the newest first. steps_file: the laboratory's steps.toml. Raises BadInput for a wrong file."""
    changes = {step.pair: step.change for step in steps}
    refuted = (
        _refuted(entry, changes.get(entry.pair))
        for entry in entries if entry.state == "not confirmed" and not entry.text.startswith(GONE)
    )  # fmt: skip
    return tuple(sorted((*written(steps_file), *refuted), key=lambda one: one.date, reverse=True))


def _refuted(entry: Entry, change: float | None) -> Mistake:
    found = "a change was found" if change is None else f"a change of {format_change(change)} was found"
    return Mistake(
        date=entry.since, page=f"{step_path(*entry.pair)}/", wrong=found,
        right=f"a fresh pair does not show it: {entry.text}",
    )  # fmt: skip


def written(steps_file: Path) -> tuple[Mistake, ...]:
    """Mistakes that people wrote down; none without a file. Raises BadInput."""
    path = steps_file.with_name(_NAME)
    try:
        return from_plain(tomllib.loads(path.read_text("utf-8")), _File).mistake
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"{path}: {error}", "write [[mistake]] with date, page, wrong and right") from error
