# SPDX-License-Identifier: GPL-2.0-only
"""The file of limits: regressions that a project has accepted, each with its reason."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kassay.errors import BadInput
from kassay.labs.review.gate_model import Limit
from kassay.labs.review.model import Cell
from kassay.labs.review.settings import setting_text
from kassay.model.records import from_plain

_EXAMPLE = '[[limit]] workload = "mprotect_toggle", limit = "3 %", reason = "..."'


def percent(text: str, where: str) -> float:
    """The share of "0.5 %" or "0.5%". Raises BadInput."""
    try:
        value = float(text.strip().removesuffix("%").strip()) / 100
    except ValueError:
        value = -1.0
    if not 0 <= value < 100:
        raise BadInput(f"{where} {text!r}: not a percentage", "write 0.5 %")
    return value


def limits_in(path: Path) -> tuple[Limit, ...]:
    """The entries of a file. Raises BadInput with the entry that is wrong."""
    try:
        return parse(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", f"a file of limits is TOML: {_EXAMPLE}") from error


def parse(text: str, origin: str) -> tuple[Limit, ...]:
    """The entries of a text; `origin` names it in errors. Raises BadInput with the entry that is wrong."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{origin}: {error}", f"a file of limits is TOML: {_EXAMPLE}") from error
    entries = table.pop("limit", [])
    if table or not isinstance(entries, list):
        raise BadInput(f"{origin}: {', '.join(table) or 'limit'}: unknown", f"write {_EXAMPLE}")
    return tuple(_limit(entry, f"{origin}: limit {number}") for number, entry in enumerate(entries, 1))


def _limit(entry: object, where: str) -> Limit:
    if isinstance(entry, dict) and isinstance(entry.get("limit"), str):
        entry = {**entry, "limit": percent(entry["limit"], where)}
    try:
        limit = from_plain(entry, Limit)
    except msgspec.ValidationError as error:
        raise BadInput(f"{where}: {error}", f"write {_EXAMPLE}") from error
    if not limit.reason.strip():
        raise BadInput(f"{where}: an accepted change needs a reason", f"write {_EXAMPLE}")
    return limit


def limit_of(cell: Cell, limits: Sequence[Limit]) -> Limit | None:
    """The first entry that covers a phase; None if there is none."""
    text = setting_text(cell.workload, cell.settings)
    for limit in limits:
        if limit.workload == cell.workload and limit.setting in text and limit.phase in ("", cell.phase):
            return limit
    return None
