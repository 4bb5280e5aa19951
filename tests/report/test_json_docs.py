# SPDX-License-Identifier: GPL-2.0-only
"""docs/reference/json.md names every key that a report has, and none that no report has."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.rendering import rendered
from tests.report.reports import SAMPLES

_TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
_FREE = ("settings", "fields", "configuration", "arguments", "guest_sha256", "vulnerabilities")
"""Objects whose names are not the report's own."""


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner) if key not in _FREE else ()
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def _of(sample: str) -> set[str]:
    return set(_keys(json.loads(rendered("json", sample))))


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_key_of_a_report_is_documented(sample: str) -> None:
    documented = set(re.findall(r"`([^`]+)`", _TEXT))
    assert _of(sample) - documented == set()


def test_every_field_that_is_documented_is_in_some_report() -> None:
    first = re.findall(r"(?m)^\| (`[^|]+) \|", _TEXT)
    documented = {name.removesuffix("[]") for cell in first for name in re.findall(r"`([^`]+)`", cell)}
    assert documented and documented - set().union(*map(_of, SAMPLES)) == set()
