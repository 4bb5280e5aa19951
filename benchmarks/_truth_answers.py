# SPDX-License-Identifier: GPL-2.0-only
"""The last answer to each question of the corpus, in truth/answers.json: traces of its runs may not be at hand."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from kassay.labs.predict.predictions import model_of
from kassay.labs.predict.timing import timing_for
from kassay.model.records import Record

ANSWERS = Path(__file__).with_name("truth") / "answers.json"


class KeptPrediction(Record, frozen=True, kw_only=True):
    """Time on a CPU, by the names of `kassay-report/1`."""

    cpu: str
    base_ns: float | None
    head_ns: float | None
    interval: tuple[float, float] | None
    refused_code: Mapping[str, Any] | None = None
    model: str = ""
    """Timing file and core model; "" if they were not noted."""


class KeptFinding(Record, frozen=True, kw_only=True):
    """A comparison in one metric, by the names of `kassay-report/1`."""

    metric: str
    base_value: float | None
    head_value: float | None
    reasons: tuple[str, ...] = ()
    predictions: tuple[KeptPrediction, ...] = ()


Kept = Mapping[str, tuple[KeptFinding, ...]]
"""Findings by name of the question."""


def kept_answers(path: Path = ANSWERS) -> Kept:
    """Every answer of the file; none where there is no file."""
    if not path.is_file():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[KeptFinding, ...]])


def keep(answers: Kept, path: Path = ANSWERS) -> None:
    """Writes the file, in the order of names."""
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(answers.items()))), indent=1)
    path.write_bytes(text + b"\n")


def findings_of(report: Mapping[str, Any]) -> tuple[KeptFinding, ...]:
    """The part of a `kassay-report/1` that the corpus needs."""
    return tuple(
        KeptFinding(
            metric=finding["metric"], base_value=finding["base_value"], head_value=finding["head_value"],
            reasons=tuple(finding["reasons"]), predictions=tuple(map(_prediction, finding.get("predictions", ()))),
        )
        for finding in report["findings"]
    )  # fmt: skip


def _prediction(made: Mapping[str, Any]) -> KeptPrediction:
    known = {name: made[name] for name in KeptPrediction.__struct_fields__ if name in made}
    return msgspec.convert(known, KeptPrediction)


def as_report(findings: tuple[KeptFinding, ...]) -> Mapping[str, Any]:
    """The same in the form of a report."""
    report: Mapping[str, Any] = {"findings": msgspec.to_builtins(findings)}
    return report


def is_of_now(findings: tuple[KeptFinding, ...]) -> bool:
    """True if every prediction is that of the present timing files and core model."""
    return all(one.model == _model(one.cpu) for finding in findings for one in finding.predictions)


@cache
def _model(cpu: str) -> str:
    return model_of(timing_for(cpu))
