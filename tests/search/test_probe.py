# SPDX-License-Identifier: GPL-2.0-only
"""One boot of a candidate: which experiment it is, and what becomes of sources that do not build."""

from pathlib import Path

import pytest

from kassay.errors import HostLacks, NotBuilt
from kassay.model.bisect import Candidate
from kassay.model.progress import silent
from kassay.tools.search import probe as probing
from kassay.tools.search.candidates import Range
from kassay.tools.search.decision import Ask
from tests.histories import question

SHA = "a1" * 20
LINE = (
    Candidate(name="b2" * 20, title="before", ref=f"build:/t@{'b2' * 20}"),
    Candidate(name=SHA, title="mm: change", ref=f"build:/t@{SHA}"),
)
COMMITS = Range("git", "b2..a1", LINE)


def ask(boot: int) -> Ask:
    return Ask(candidate=1, boot=boot, reason="because", left=1, expected=1)


def test_boots_of_a_timed_search_are_each_an_experiment_of_their_own() -> None:
    made = [probing.experiment_of(question(COMMITS, "tcg"), ask(boot)) for boot in (1, 2, 3)]
    assert [one.seed for one in made] == [1, 2, 3]
    assert {one.repeats for one in made} == {1} and {one.retries for one in made} == {0}


def test_a_commit_is_called_by_its_short_name_and_a_listed_kernel_by_its_reference() -> None:
    (use,) = probing.experiment_of(question(COMMITS), ask(1)).kernels
    assert (use.ref, use.name) == (LINE[1].ref, SHA[:12])
    listed = question(COMMITS._replace(kind="list"))
    assert probing.experiment_of(listed, ask(1)).kernels[0].name == ""


def test_failed_build_is_an_outcome_and_missing_tool_is_an_error(tmp_path: Path) -> None:
    def raising(error: Exception) -> probing.Measure:
        def measure(*_: object) -> None:
            raise error

        return probing.prober(measure)

    broken = raising(NotBuilt("mm/mprotect.c:331: error: expected ';'", "see the log"))
    found = broken(question(COMMITS), ask(1), tmp_path, silent)
    assert (found.outcome, found.value) == ("not-built", None)
    assert found.detail.startswith("mm/mprotect.c:331: error")
    full = raising(HostLacks("disk full"))
    with pytest.raises(HostLacks):
        full(question(COMMITS), ask(1), tmp_path, silent)
