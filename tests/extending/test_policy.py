# SPDX-License-Identifier: GPL-2.0-only
"""A policy of page lists from outside: the one of docs/how-to/extending.md, simulated; and files that are none."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.labs.pcp import engine
from kassay.registry import EXTENSIONS
from tests.extending.outside import Outside, documented_examples, outside
from tests.pcp.configs import config

FILE = "pcp/policies/decay_half.c"
TEXT = documented_examples()[FILE]
BURST = {"depth_min": 1500, "depth_max": 1500, "burst_cycles": 1, "burst_idle_ns": 60_000_000_000, "tasks": 1}


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    found = outside(tmp_path)
    monkeypatch.setenv(EXTENSIONS, str(found.extensions))
    return found


@pytest.mark.slow  # compiles the simulator
def test_it_is_listed_and_simulated_and_changes_what_results_are_known_by(
    added: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = engine.identity()
    added.add(FILE, TEXT)
    assert engine.policies()["decay_half"].kernels == "none: on 6.12.117"
    assert engine.identity() != before
    half, eighth = (
        engine.run(config(name, BURST, events=0, duration_ns=3_100_000_000)) for name in ("decay_half", "auto")
    )
    assert half.pcps[0].high < eighth.pcps[0].high
    with pytest.raises(BadInput, match="did you mean decay_half"):
        engine.run(config("decay_halv", BURST))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("decay_half.c", TEXT.replace("larger(", "largest("), "largest"),
        ("decay_third.c", TEXT, "decay_third"),
        ("decay-half.c", TEXT, "decay-half.c: a policy's name has letters, digits and _"),
        ("auto.c", TEXT, "there is a .*auto.c already"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(added: Outside, name: str, text: str, why: str) -> None:
    added.add(f"pcp/policies/{name}", text)
    with pytest.raises(BadInput, match=why):
        engine.policies()
