# SPDX-License-Identifier: GPL-2.0-only
"""The loop of a bisection over real git histories, with a double in place of the builds and boots."""

import subprocess
import zlib
from math import exp
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec import structs

from kassay import pipeline
from kassay.errors import BadInput
from kassay.journal.directory import SEARCH, started
from kassay.model.bisect import Bisection, Observation, SearchQuestion
from kassay.model.progress import Progress, Tell, silent
from kassay.model.records import Setting, to_json
from kassay.questions.bisect import verdict
from kassay.tools.search import log as searchlog
from kassay.tools.search import loop as bisecting
from kassay.tools.search.candidates import between
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe
from tests.analysis.plans import plan_of
from tests.histories import Measured, commit, commits, git, line_of, question

pytestmark = pytest.mark.slow  # seconds for the whole file


def planted(tree: Path) -> tuple[SearchQuestion, list[str], Measured]:
    """33 commits; 21 is guilty, 16 does not build, 24 does not boot."""
    line = line_of(tree, 32)

    def cost(name: str) -> float | str:
        place = line.index(name)
        return "not-built" if place == 16 else "not-booted" if place == 24 else 303.6 if place < 21 else 671.6

    return question(commits(tree, line[0], "main")), line, Measured(cost)


def searched(tree: Path, out: Path) -> tuple[Bisection, list[str], Measured]:
    asked, line, measured = planted(tree)
    return bisecting.search(asked, out, silent, measured), line, measured


def test_the_guilty_of_32_commits_is_found_in_seven_measurements(tmp_path: Path) -> None:
    found, line, _ = searched(tmp_path / "tree", tmp_path / "out")
    assert found.candidates[found.steps[0].first].name == line[21]
    assert found.introduced == line[21]
    assert found.measured <= 7 and set(found.skipped) <= {16, 24}
    text = verdict(found)
    assert f'{line[21][:12]} ("commit 21") by A Developer <a@example.org> is the first commit with the change' in text
    assert "instructions/page 303.6 -> 671.6 (+121.2 %)" in text
    assert "Found among 32 commits" in text and f"{line[16][:12]} (not-built)" in text


def test_a_noisy_clock_finds_the_same_commit(tmp_path: Path) -> None:
    line = line_of(tmp_path / "tree", 32)
    noise = Random(5)

    def cost(name: str) -> float | str:
        place = line.index(name)
        if place == 16:
            return "not-built"
        return (1.4 if place >= 21 else 1.0) * 900 * exp(noise.gauss(0, 0.05))

    asked = question(commits(tmp_path / "tree", line[0], "main"), clock="tcg")
    found = bisecting.search(asked, tmp_path / "out", silent, Measured(cost))
    assert found.introduced == line[21] and found.error_rate == 0.01
    assert found.steps[0].odds is not None and found.steps[0].odds >= 0.99
    assert found.boots > found.measured


def test_a_search_that_was_cut_goes_on_and_measures_nothing_twice(tmp_path: Path) -> None:
    asked, _, measured = planted(tmp_path / "tree")
    whole = bisecting.search(asked, tmp_path / "whole", silent, measured)
    out, first = tmp_path / "out", list[str]()

    class Killed(BaseException): ...

    def until(progress: Progress) -> None:
        if len(searchlog.read(out)) == 4:
            raise Killed

    with pytest.raises(Killed):
        bisecting.search(asked, out, until, measured)
    first = [one.detail for one in searchlog.read(out)]
    with (out / searchlog.LOG).open("ab") as file:
        file.write(b"12345678 {torn")
    measured.names.clear()
    assert bisecting.search(asked, out, silent, measured) == whole
    assert len(measured.names) == len(whole.observations) - len(first)
    measured.names.clear()
    assert bisecting.search(asked, out, silent, measured) == whole and measured.names == []


def test_a_search_is_not_gone_on_with_by_other_guest_programs(tmp_path: Path) -> None:
    asked, _, measured = planted(tmp_path / "tree")
    compilers = iter(["gcc 12", "gcc 12", *["gcc 14"] * 20])

    def on_some_host(question: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
        compiler = next(compilers)
        hashes = (Setting(name="init", value=compiler),)
        started(directory, msgspec.structs.replace(plan_of(2), guest_sha256=hashes, guest_compiler=compiler))
        return measured(question, ask, directory, tell)

    with pytest.raises(BadInput, match=r"began with other guest programs \(by gcc 12\)"):
        bisecting.search(asked, tmp_path / "out", silent, on_some_host)
    assert len(searchlog.read(tmp_path / "out")) == 2


def test_a_search_is_not_gone_on_with_by_another_plugin(tmp_path: Path) -> None:
    asked, _, measured = planted(tmp_path / "tree")
    plugins = iter(["1", "1", *["2"] * 20])

    def updated(question: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
        started(directory, msgspec.structs.replace(plan_of(2), plugin_sha256=next(plugins)))
        return measured(question, ask, directory, tell)

    with pytest.raises(BadInput, match="began with another plugin of QEMU"):
        bisecting.search(asked, tmp_path / "out", silent, updated)
    assert len(searchlog.read(tmp_path / "out")) == 2


def test_a_replay_comes_to_the_same_and_notices_a_changed_value(tmp_path: Path) -> None:
    out = tmp_path / "out"
    searched(tmp_path / "tree", out)
    assert bisecting.replay(out) == ()
    log = list(searchlog.read(out))
    for changed in (671.7, 303.6):
        other = [Observation(**{n: getattr(one, n) for n in one.__struct_fields__}) for one in log]
        other[1] = Observation(**{**{n: getattr(log[1], n) for n in log[1].__struct_fields__}, "value": changed})
        rewrite(out, other)
        assert bisecting.replay(out) != ()
    rewrite(out, log)
    assert bisecting.replay(out) == ()


def rewrite(out: Path, log: list[Observation]) -> None:
    data = b"".join(b"%08x %s\n" % (zlib.crc32(to_json(one)), to_json(one)) for one in log)
    (out / searchlog.LOG).write_bytes(data)


def test_a_damaged_line_is_said_to_be(tmp_path: Path) -> None:
    out = tmp_path / "out"
    searched(tmp_path / "tree", out)
    path = out / searchlog.LOG
    path.write_bytes(path.read_bytes().replace(b"303.6", b"303.7", 1))
    with pytest.raises(BadInput, match="line 1 is damaged"):
        bisecting.replay(out)


def test_git_takes_the_log_and_comes_to_the_same_commit(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    _, line, _ = searched(tree, tmp_path / "out")
    words = ("git", "-C", str(tree), "bisect", "replay", str(tmp_path / "out" / searchlog.GIT_LOG))
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert f"{line[21]} is the first bad commit" in said
    assert f"# first bad commit: [{line[21]}] commit 21" in git(tree, "bisect", "log")


def test_another_question_in_the_same_directory_is_refused(tmp_path: Path) -> None:
    asked, _, measured = planted(tmp_path / "tree")
    bisecting.search(asked, tmp_path / "out", silent, measured)
    fewer = SearchQuestion(**{n: getattr(asked, n) for n in asked.__struct_fields__} | {"steps": "largest"})
    with pytest.raises(BadInput, match="differs in steps"):
        bisecting.search(fewer, tmp_path / "out", silent, measured)


def test_a_search_whose_configuration_changed_is_another(tmp_path: Path) -> None:
    line, config = line_of(tmp_path / "tree", 8), tmp_path / "my.config"

    def asked(value: str) -> SearchQuestion:
        config.write_text(f"CONFIG_A={value}\n")
        ends = [f"build:{tmp_path}/tree@{sha},config=lab+{config}" for sha in (line[0], line[8])]
        return question(between(ends[0], ends[1], "x86_64", "cloud", "version", silent))

    measured = Measured(lambda name: 303.6 if line.index(name) < 5 else 671.6)
    found = bisecting.search(asked("y"), tmp_path / "out", silent, measured)
    assert "my.config (sha256 " in found.range
    with pytest.raises(BadInput, match=r"another bisection \(differs in range\)"):
        bisecting.search(asked("n"), tmp_path / "out", silent, measured)
    assert bisecting.search(asked("y"), tmp_path / "out", silent, measured) == found


def with_merge(tree: Path) -> tuple[list[str], list[str], str]:
    """A line of commits into which a branch of 6 was merged; all of it in order: before, branch, merge."""
    line = line_of(tree, 3)
    git(tree, "checkout", "--quiet", "-b", "topic", line[1])
    branch = [commit(tree, f"topic {number}", "topic") for number in range(6)]
    git(tree, "checkout", "--quiet", "main")
    git(tree, "merge", "--quiet", "--no-ff", "-m", "merge topic", "topic")
    merge = git(tree, "rev-parse", "HEAD")
    for number in range(4, 8):
        commit(tree, f"commit {number}")
    return line, branch, merge


def test_a_culprit_that_a_merge_brought_in_is_found_on_its_branch(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    line, branch, merge = with_merge(tree)
    slow = {branch[3], branch[4], branch[5], *git(tree, "rev-list", f"{merge}^..main", "--first-parent").split()}
    measured = Measured(lambda name: 671.6 if name in slow else 303.6)
    found = bisecting.search(question(commits(tree, line[0], "main")), tmp_path / "out", silent, measured)
    assert found.introduced == branch[3]
    assert found.within is not None and found.within.introduced == merge
    assert "through 1 merge" in verdict(found) and merge[:12] in found.notes[0]
    assert bisecting.replay(tmp_path / "out") == ()


def test_a_merge_whose_branch_alone_is_not_slow_is_the_culprit_itself(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    line, _, merge = with_merge(tree)
    slow = set(git(tree, "rev-list", f"{merge}^..main", "--first-parent").split())
    measured = Measured(lambda name: 671.6 if name in slow else 303.6)
    found = bisecting.search(question(commits(tree, line[0], "main")), tmp_path / "out", silent, measured)
    assert found.introduced == merge and [one.code for one in found.open_codes] == ["merge-itself"]
    assert "the merge itself" in found.open[0]


def with_back_merge(tree: Path) -> tuple[list[str], list[str], str]:
    """A branch that merges commit 2 of the line, and is merged after commit 3; the line, the branch, the merge."""
    line = line_of(tree, 3)
    git(tree, "checkout", "--quiet", "-b", "topic", line[1])
    branch = [commit(tree, "topic 0", "topic")]
    git(tree, "merge", "--quiet", "--no-ff", "-m", "merge the line", line[2])
    branch += [git(tree, "rev-parse", "HEAD"), commit(tree, "topic 1", "topic"), commit(tree, "topic 2", "topic")]
    git(tree, "checkout", "--quiet", "main")
    git(tree, "merge", "--quiet", "--no-ff", "-m", "merge topic", "topic")
    merge = git(tree, "rev-parse", "HEAD")
    commit(tree, "commit 4")
    return line, branch, merge


def test_a_commit_that_the_kernel_before_the_merge_has_is_not_the_culprit(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    line, branch, merge = with_back_merge(tree)

    def cost(name: str) -> float:
        has = git(tree, "rev-list", name).split()
        return 100.0 * (2.5 if line[2] in has else 1) * (1.5 if branch[2] in has else 1)

    asked = question(commits(tree, line[3], "main"))  # commit 2 is in the good end as well
    found = bisecting.search(asked, tmp_path / "out", silent, Measured(cost))
    assert found.introduced == merge and [one.code for one in found.open_codes] == ["merge-itself"]
    assert f"{line[2][:12]} (commit 2) is the largest change, and {line[3][:12]} has that already" in found.open[0]
    assert bisecting.replay(tmp_path / "out") == ()


def test_a_change_on_a_branch_that_is_not_the_merges_is_not_the_culprit(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    line, branch, merge = with_merge(tree)
    after = set(git(tree, "rev-list", f"{merge}^..main", "--first-parent").split())

    def cost(name: str) -> float:  # the line has the branch's improvement by another commit
        return 330.0 if name in after else 303.6 if name in (*branch[3:], *line[2:]) else 500.0

    found = bisecting.search(question(commits(tree, line[2], "main")), tmp_path / "out", silent, Measured(cost))
    assert found.introduced == merge and f"{branch[3][:12]} (topic 3) is the largest change, -39.3 %" in found.open[0]


def test_a_merge_of_several_branches_says_that_they_were_not_searched(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    line = line_of(tree, 2)
    for name in ("one", "two"):
        git(tree, "checkout", "--quiet", "-b", name, line[1])
        commit(tree, name, name)
    git(tree, "checkout", "--quiet", "main")
    git(tree, "merge", "--quiet", "--no-ff", "-m", "merge both", "one", "two")
    merge = git(tree, "rev-parse", "HEAD")
    measured = Measured(lambda name: 671.6 if name == merge else 303.6)
    found = bisecting.search(question(commits(tree, line[0], "main")), tmp_path / "out", silent, measured)
    assert found.introduced == merge and [one.code for one in found.open_codes] == ["merge-of-several"]
    assert found.open[0] == "the merge brought in 2 branches, which were not searched: bisect each of them"
    asked = question(commits(tree, line[0], "main"))
    assert bisecting.search(asked, tmp_path / "out", silent, measured) == found
    # An earlier version did not store the parents of a merge of several.
    before = structs.replace(asked, candidates=tuple(structs.replace(one, merged="") for one in asked.candidates))
    (tmp_path / "out" / SEARCH).write_bytes(to_json(before))
    assert bisecting.search(asked, tmp_path / "out", silent, measured) == found
    with pytest.raises(BadInput, match=r"another bisection \(differs in error_rate\)"):
        searchlog.begin(tmp_path / "out", structs.replace(before, error_rate=0.1))


def test_a_range_without_a_change_is_an_answer_with_a_way_out(tmp_path: Path) -> None:
    line = line_of(tmp_path / "tree", 5)
    asked = question(commits(tmp_path / "tree", line[0], line[5]))
    with pytest.raises(BadInput, match="cost the same"):
        bisecting.search(asked, tmp_path / "out", silent, Measured(lambda _: 300.0))
    with pytest.raises(BadInput, match="not finished"):
        pipeline.answer(tmp_path / "out")


def test_releases_that_came_since_are_not_part_of_a_started_search(tmp_path: Path) -> None:
    line = line_of(tmp_path / "tree", 6)
    old, new = (question(commits(tmp_path / "tree", line[0], line[last])) for last in (4, 6))
    as_releases = [
        SearchQuestion(**{n: getattr(q, n) for n in q.__struct_fields__} | {"kind": "releases", "range": "a..b",
                 "compare": old.compare}) for q in (old, new)
    ]  # fmt: skip
    searchlog.begin(tmp_path / "out", as_releases[0])
    assert bisecting.resumed(as_releases[1], tmp_path / "out") == as_releases[0]
    assert bisecting.resumed(new, tmp_path / "out") == new


def refused(tmp_path: Path, cost: "list[float | str]", clock: str = "icount") -> BadInput:
    line = line_of(tmp_path / "tree", len(cost) - 1)
    asked = question(commits(tmp_path / "tree", line[0], "main"), clock=clock)
    with pytest.raises(BadInput) as caught:
        bisecting.search(asked, tmp_path / "out", silent, Measured(lambda name: cost[line.index(name)]))
    return caught.value


def test_the_way_out_is_of_what_ended_the_search_and_not_of_a_skipped_commit(tmp_path: Path) -> None:
    creeping: list[float | str] = [300.0, 301.5, "not-built", 303.0, 304.5, 306.0]
    assert "--margin" in str(refused(tmp_path / "a", creeping))
    assert "choose ends that differ" in str(refused(tmp_path / "b", [300.0, 400.0, 300.0]))
    assert "as planted" in str(refused(tmp_path / "c", [300.0, 400.0, "not-booted"], clock="tcg"))


def test_a_culprit_that_is_not_compared_yet_is_told_with_the_way_to_go_on(tmp_path: Path) -> None:
    _, line, _ = searched(tmp_path / "tree", tmp_path / "out")
    with pytest.raises(BadInput, match=rf"{line[21][:12]}.*\n.*goes on with it"):
        pipeline.answer(tmp_path / "out")


def test_what_an_earlier_process_measured_is_read_with_the_same_measure(tmp_path: Path) -> None:
    """Else --step would boot an end again that it has already."""
    asked, _, measured = planted(tmp_path / "tree")
    whole = bisecting.search(asked, tmp_path / "out", silent, measured)
    (tmp_path / "out" / searchlog.RESULT).unlink()
    assert bisecting.search(asked, tmp_path / "out", silent, measured) == whole


@pytest.mark.parametrize("margin", [0.01, 0.6])
def test_a_search_by_state_finds_the_commit_whose_state_is_another(tmp_path: Path, margin: float) -> None:
    """States have no distance, so the margin is nothing to them."""
    line = line_of(tmp_path / "tree", 32)
    asked = question(commits(tmp_path / "tree", line[0], "main"))
    compare = structs.replace(asked.compare, margin=margin)
    asked = structs.replace(asked, state="range.AnonHugePages", compare=compare)

    def measure(asked: SearchQuestion, ask: Ask, directory: Path, tell: Tell) -> BootProbe:
        if ask.candidate == 24:
            return BootProbe(outcome="not-booted", detail="as planted")
        state = "16384 kB" if ask.candidate < 9 else "2048 kB" if ask.candidate < 21 else "0 kB"
        return BootProbe(outcome="value", metric="state", unit="range.AnonHugePages", state=state)

    found = bisecting.search(asked, tmp_path / "out", silent, measure)
    assert {found.candidates[step.first].name for step in found.steps} == {line[9], line[21]}
    assert {found.state_at(step.first) for step in found.steps} == {"2048 kB", "0 kB"}
    text = verdict(found)
    assert "range.AnonHugePages 16384 kB -> 2048 kB" in text and "%" not in text
    assert bisecting.replay(tmp_path / "out") == ()


def test_ends_of_one_state_are_an_answer_with_the_state(tmp_path: Path) -> None:
    line = line_of(tmp_path / "tree", 4)
    asked = structs.replace(question(commits(tmp_path / "tree", line[0], "main")), state="thp.enabled")

    def measure(*_: object) -> BootProbe:
        return BootProbe(outcome="value", metric="state", unit="thp.enabled", state="always")

    with pytest.raises(BadInput, match=r"thp\.enabled is the same on the two ends: always"):
        bisecting.search(asked, tmp_path / "out", silent, measure)
