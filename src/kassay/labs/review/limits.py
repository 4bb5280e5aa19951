# SPDX-License-Identifier: GPL-2.0-only
"""The file of limits: regressions that a project has accepted, each with its reason."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from kassay.errors import BadInput, nearest_of, unknown, wrong_value
from kassay.labs.review.gate_model import Limit
from kassay.labs.review.model import Cell
from kassay.model.records import from_plain
from kassay.supply.guest import catalog

_FIELD = re.compile(r"unknown field `(\w+)`")
_EXAMPLE = '[[limit]] workload = "mprotect_toggle", limit = "3 %", reason = "..."'


class Limits(NamedTuple):
    """The entries that judge a range, and those that the range itself changes."""

    entries: tuple[Limit, ...] = ()
    added: tuple[Limit, ...] = ()
    removed: tuple[Limit, ...] = ()


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
    if isinstance(entry, dict) and "limit" in entry:
        if not isinstance(entry["limit"], str):  # 3 may be a percentage or a share
            raise BadInput(f"{where}: limit = {entry['limit']!r}: not a text", 'write limit = "3 %"')
        entry = {**entry, "limit": percent(entry["limit"], where)}
    try:
        limit = from_plain(entry, Limit)
    except msgspec.ValidationError as error:
        field = _FIELD.search(str(error))
        remedy = nearest_of(field[1], Limit.__struct_fields__) if field else f"write {_EXAMPLE}"
        raise BadInput(f"{where}: {wrong_value(error)}", remedy) from error
    if not limit.reason.strip():
        raise BadInput(f"{where}: an accepted change needs a reason", f"write {_EXAMPLE}")
    _check_names(limit, where)
    return limit


def _check_names(limit: Limit, where: str) -> None:
    """Raises BadInput for an entry that no phase can match."""
    workloads = catalog.workloads()
    _check(limit.workload, workloads, f"{where}: unknown workload")
    workload = workloads[limit.workload]
    if limit.phase:
        _check(limit.phase, [phase.name for phase in workload.phases], f"{where}: {workload.name} has no phase")
    parameters = {parameter.name: parameter for parameter in workload.parameters}
    if not all("=" in word for word in limit.setting.split()):
        raise BadInput(f"{where}: setting {limit.setting!r}: not words NAME=VALUE", 'write setting = "order=9"')
    for name, value in _given(limit.setting):
        _check(name, parameters, f"{where}: {workload.name} has no parameter")
        if choices := parameters[name].choices:
            _check(value, choices, f"{where}: {workload.name} has no {name}")


def _check(name: str, known: Iterable[str], what: str) -> None:
    if name not in known:
        raise unknown(what, name, known)


def _given(setting: str) -> list[tuple[str, str]]:
    """The words NAME=VALUE of an entry's setting."""
    return [(name, value) for name, _, value in (word.partition("=") for word in setting.split())]


def limit_of(cell: Cell, limits: Sequence[Limit]) -> Limit | None:
    """The first entry that covers a phase; None if there is none."""
    own = [(setting.name, setting.value) for setting in cell.settings]
    for limit in limits:
        covers = all(word in own for word in _given(limit.setting))
        if limit.workload == cell.workload and covers and limit.phase in ("", cell.phase):
            return limit
    return None


def of_range(base: Sequence[Limit], head: Sequence[Limit]) -> Limits:
    """The entries of head judge; those that base does not have are added by the range."""
    added, removed = ([one for one in ours if one not in others] for ours, others in ((head, base), (base, head)))
    return Limits(tuple(head), tuple(added), tuple(removed))
