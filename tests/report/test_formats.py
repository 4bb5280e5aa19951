# SPDX-License-Identifier: GPL-2.0-only
"""Requirements on every report format, whatever its name, checked for all that are found."""

import os
import subprocess
import sys
import unicodedata

import pytest

from kassay.registry import own_names
from kassay.report.formats import complete_format, format_names
from kassay.report.writers import WRITERS
from tests.report.regolden import GOLDEN, golden_path, on_file
from tests.report.rendering import FORMATS, QUICK_PAGES, rendered, shown_by, travelled, without_library
from tests.report.reports import SAMPLES
from tests.source import ROOT

BOTH = [
    pytest.param(name, sample, marks=[pytest.mark.slow] if name == "html" and sample not in QUICK_PAGES else [])
    for name in FORMATS
    for sample in shown_by(name)
]
WHOLE = [name for name in FORMATS if FORMATS[name].whole]
SHOWN = [name for name in FORMATS if not FORMATS[name].timed_only]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_named_like_its_module_and_describes_itself(name: str) -> None:
    assert FORMATS[name].name == name
    assert FORMATS[name].suffix.startswith(".")
    assert FORMATS[name].summary


@pytest.mark.parametrize(("name", "sample"), BOTH)
def test_the_same_report_gives_the_same_text_also_after_a_journey_through_json(name: str, sample: str) -> None:
    assert rendered(name, sample) == without_library(name, travelled(sample))


@pytest.mark.parametrize(("name", "sample"), BOTH)
def test_a_report_ends_with_a_newline_and_holds_nothing_that_moves_a_cursor(name: str, sample: str) -> None:
    text = rendered(name, sample)
    assert text.endswith("\n")
    assert {c for c in text if unicodedata.category(c) in ("Cc", "Cs")} <= {"\n", "\t"}


def test_a_partial_format_has_a_place_for_some_samples_and_a_reason_against_the_others() -> None:
    for name in (one for one in FORMATS if FORMATS[one].timed_only):
        assert shown_by(name) and set(shown_by(name)) < set(SAMPLES)


@pytest.mark.parametrize("name", SHOWN)
def test_every_value_of_the_ladder_is_shown(name: str) -> None:
    text = " ".join(rendered(name, "ladder").split())
    for value in ("301.6", "672.6", "698.8", "703.0"):
        assert value in text


@pytest.mark.parametrize("name", WHOLE)
def test_the_verdict_and_the_unit_are_shown_word_for_word(name: str) -> None:
    text = " ".join(rendered(name, "ladder").replace("&#43;", "+").split())
    assert SAMPLES["ladder"]().verdict in text
    assert "instructions/page" in text


@pytest.mark.parametrize("name", WHOLE)
def test_a_refused_comparison_shows_both_states(name: str) -> None:
    text = rendered(name, "refused")
    assert "16384 kB" in text and "0 kB" in text
    assert "state-mismatch" in text


@pytest.mark.parametrize("name", SHOWN)
def test_a_refused_comparison_has_no_value(name: str) -> None:
    assert "301.6" not in rendered(name, "refused")


@pytest.mark.parametrize(("name", "sample"), BOTH)
def test_no_absent_value_reads_none_or_nan(name: str, sample: str) -> None:
    text = rendered(name, sample)
    for word in (">None<", "| None |", " None ", "nan ", "NaN"):
        assert word not in text


@pytest.mark.parametrize(("name", "sample"), [(n, s) for n in SHOWN for s in GOLDEN])
def test_the_text_is_the_one_on_file(name: str, sample: str) -> None:
    path = golden_path(sample, FORMATS[name])
    assert on_file(sample, FORMATS[name]) == path.read_text(encoding="utf-8"), "python -m tests.report.regolden"


def test_one_format_of_every_installation_has_every_field() -> None:
    assert [name for name in FORMATS if FORMATS[name].complete] == [complete_format().name]
    assert complete_format().render(SAMPLES["ladder"]()) == rendered("json", "ladder")


def test_forms_of_every_installation_are_told_from_those_of_one_host() -> None:
    """A bundle that another host packed has none of KASSAY_PATH."""
    code = "from kassay.registry import *; P = 'kassay.report.formats'; print(set(names(P)) - own_names(P))"
    path = {**os.environ, "KASSAY_PATH": str(ROOT / "examples" / "extending")}
    assert own_names("kassay.report.formats") | own_names(WRITERS) == set(format_names())
    done = subprocess.run([sys.executable, "-c", code], env=path, capture_output=True, text=True, check=True)
    assert done.stdout == "{'org'}\n"
