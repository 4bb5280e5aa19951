# SPDX-License-Identifier: GPL-2.0-only
"""Measured changes with their predictions (`kassay-pairs/1`), and what is learned from them.

Non-negative weights of causes are fitted on differences between head and base, never on totals: a total is mostly what
both sides share, and weights fitted on it learn that. A weight stays at 1 unless many changes speak against it, and all
of them stay at 1 unless they predict changes that were left out of the fit better.
"""

import math
from pathlib import Path
from statistics import median

import msgspec
import numpy as np

from kassay.errors import BadInput
from kassay.labs.predict.interval import (
    LEVEL,
    IntervalTable,
    conformal_quantile,
    counts_of_causes,
    ratio_of,
    score_of,
    weighted,
)  # fmt: skip
from kassay.model.records import Record, from_json

SCHEMA = "kassay-pairs/1"
_PULL = 3.0
"""The pull of each weight towards 1, as a number of changes."""


class CauseTimes(Record, frozen=True, kw_only=True):
    """Predicted time of one cause, in ns."""

    cause: str
    base_ns: float
    head_ns: float


class Change(Record, frozen=True, kw_only=True):
    """One measured change."""

    name: str
    base_ns: float
    """Measured time of base."""
    head_ns: float
    """Measured time of head."""
    causes: tuple[CauseTimes, ...]
    """Prediction by cause, without weights."""
    group: str = ""
    """Changes of one group are left out together. "": the change is left out by itself."""

    @property
    def measured(self) -> float:
        """head / base."""
        return self.head_ns / self.base_ns

    @property
    def shifts(self) -> dict[str, tuple[float, float]]:
        """Times of base and head in ns, by cause, in the form that predict/interval.py takes."""
        return {cause.cause: (cause.base_ns, cause.head_ns) for cause in self.causes}


class Changes(Record, frozen=True, kw_only=True):
    """A file of measured changes."""

    schema: str
    cpu: str
    """Name of the timing file that predicted them."""
    pairs: tuple[Change, ...]
    timing: str = ""
    """Hash (sha256) of that timing file."""


class Learned(Record, frozen=True, kw_only=True):
    """Result of the fit."""

    table: IntervalTable
    """Table for the timing file."""
    error: float
    """Median |predicted / measured - 1| of changes left out of the fit, with weights."""
    plain_error: float
    """Median |predicted / measured - 1| without weights."""
    worst: tuple[tuple[str, float], ...]
    """Names of the changes with the largest scores, and these, largest first."""


def read_changes(path: Path) -> Changes:
    """Raises BadInput that names the file and what is wrong in it."""
    try:
        changes = from_json(path.read_bytes(), Changes)
    except OSError as error:
        raise BadInput(
            f"{path}: {error.strerror}", "--pairs takes a file of measured changes, docs/reference/calibrate.md"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}", f"the file must be {SCHEMA}, docs/reference/calibrate.md") from error
    if changes.schema != SCHEMA:
        raise BadInput(f"{path}: schema {changes.schema!r}", f"known: {SCHEMA}")
    for change in changes.pairs:
        if len(change.shifts) < len(change.causes):
            raise BadInput(f"{path}: {change.name}: a cause comes twice", "add its times up")
        try:
            valid = change.base_ns > 0 and change.head_ns > 0 and math.isfinite(change.measured)
            valid = valid and math.isfinite(ratio_of(change.shifts))
        except ValueError:
            valid = False
        if not valid:
            raise BadInput(f"{path}: {change.name}: a time that is not above 0", "measure it again, or take it out")
    return changes


def learn(changes: Changes, *, source: str) -> Learned:
    """Weights if they help, and the interval from changes that were left out one by one.

    Raises BadInput with too few changes, of which those of one group count once.
    """
    pairs = changes.pairs
    # Changes of one group are alike: a group says no more of a new change than a single one does.
    conformal_quantile([0.0] * len({_key(change) for change in pairs}), LEVEL)
    left_out = [
        weighted(_weights([other for other in pairs if _key(other) != _key(change)]), change.shifts) for change in pairs
    ]
    plain = [change.shifts for change in pairs]
    error, plain_error = _error(pairs, left_out), _error(pairs, plain)
    scores = [score_of(change.measured, shifts) for change, shifts in zip(pairs, left_out, strict=True)]
    plain_scores = [score_of(change.measured, shifts) for change, shifts in zip(pairs, plain, strict=True)]
    quantile, plain_quantile = conformal_quantile(scores, LEVEL), conformal_quantile(plain_scores, LEVEL)
    helps = error < plain_error and quantile < plain_quantile
    weights = _weights(pairs) if helps else {}
    chosen = scores if helps else plain_scores
    table = IntervalTable(
        level=LEVEL, quantile=round(quantile if helps else plain_quantile, 4), n=len(pairs), source=source,
        causes=counts_of_causes(weighted(weights, change.shifts) for change in pairs),
        weights={cause: round(weight, 3) for cause, weight in weights.items()},
    )  # fmt: skip
    worst = sorted(zip((change.name for change in pairs), chosen, strict=True), key=lambda pair: -pair[1])[:5]
    return Learned(table=table, error=error, plain_error=plain_error, worst=tuple(worst))


def _key(change: Change) -> str:
    return change.group or change.name


def _error(pairs: tuple[Change, ...], predicted: list[dict[str, tuple[float, float]]]) -> float:
    return median(abs(ratio_of(shifts) / change.measured - 1) for change, shifts in zip(pairs, predicted, strict=True))


def _weights(pairs: "tuple[Change, ...] | list[Change]") -> dict[str, float]:
    """Least squares on differences, each relative to the change's own base; one further row for each cause says 1."""
    from scipy.optimize import nnls  # half a second to import

    causes = sorted({cause.cause for change in pairs for cause in change.causes})
    if not causes:
        return {}
    rows, wanted = [], []
    for change in pairs:
        # Relative to the size of the change, so that one of 20x does not outweigh all the others.
        scale = change.base_ns * (0.1 + abs(change.measured - 1))
        rows.append(
            [(change.shifts[c][1] - change.shifts[c][0]) / scale if c in change.shifts else 0.0 for c in causes]
        )
        wanted.append((change.head_ns - change.base_ns) / scale)
    pull = math.sqrt(_PULL) / 4
    rows += [[pull if i == j else 0.0 for j in range(len(causes))] for i in range(len(causes))]
    wanted += [pull] * len(causes)
    fitted, _ = nnls(np.array(rows), np.array(wanted))
    return dict(zip(causes, map(float, fitted), strict=True))
