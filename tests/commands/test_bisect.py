# SPDX-License-Identifier: GPL-2.0-only
"""kassay bisect as a command: what it refuses, and the statuses that `git bisect run` reads."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import UNSET, structs
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.commands._bisect_options import Searching
from kassay.commands._bisect_search import _question, _range
from kassay.commands._options import Measuring
from kassay.errors import BadInput, HostLacks, NotBuilt
from kassay.journal.directory import SEARCH
from kassay.model.bisect import SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.progress import Tell, silent
from kassay.model.records import to_json
from kassay.supply import kernels as kernel_store
from kassay.tools.search import log as searchlog
from kassay.tools.search import loop
from kassay.tools.search import probe as probing
from kassay.tools.search.candidates import listed
from kassay.tools.search.decision import Ask
from kassay.tools.search.probe import BootProbe

pytestmark = pytest.mark.slow  # seconds for the whole file

STEP = ("bisect", "--step", "mprotect_toggle", "--good", "image:/good", "--bad", "image:/bad", "--head", "image:/head")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mprotect_toggle",), "give either --good and --bad, or a list"),
        (("mprotect_toggle", "--good", "debian:6.12"), "give either --good and --bad, or a list"),
        (("mprotect_toggle", "image:/a", "image:/b", "--good", "image:/a", "--bad", "image:/b"), "give either"),
        ((), "WORKLOAD: missing"),
        (("mprotect_toggle", "image:/a", "image:/b", "--set", "size=1MiB,2MiB"), "follows one value"),
        (("mprotect_toggle", "image:/a", "image:/b", "--clock", "icount,tcg"), "follows one value"),
        (("mprotect_toggle", "image:/a", "image:/b", "--steps", "some"), "--steps: unknown 'some'"),
        (("mprotect_toggle", "image:/a", "image:/b", "--error-rate", "2"), "--error-rate 2: outside"),
        (("mprotect_toggle", "image:/a", "image:/b", "--cmdline-head", "x"), "a search has no sides"),
        (
            ("mprotect_toggle", "image:/a", "image:/b", "--match", "preempt"),
            "--match: a search looks at kernels one by",
        ),
        (("--replay", "/nowhere"), "not a bisection"),
        (("--replay", "/nowhere", "--error-rate", "0.2"), "--error-rate: does nothing with --replay"),
        (("mprotect_toggle", "--replay", "/nowhere"), "workload: does nothing with --replay"),
        (("mprotect_toggle", "image:/a", "image:/b", "--head", "image:/c"), "--head: belongs to --step"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_words(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(build_app(), ["bisect", *words])
    assert isinstance(done.exception, BadInput) and said in str(done.exception)


def test_a_plan_is_of_the_ends_and_looks_up_no_range(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(experiment: Experiment, *_: object) -> int:
        assert [use.ref for use in experiment.kernels] == ["debian:6.12", "debian:6.17"]
        return 0

    monkeypatch.setattr("kassay.commands._bisect_search.show_commands", shown)
    monkeypatch.setattr("kassay.commands._bisect_search._range", lambda *_: pytest.fail("the range was looked up"))
    words = ("bisect", "mprotect_toggle", "--good", "6.12", "--bad", "6.17", "--clock", "metal", "--plan")
    assert CliRunner().invoke(build_app(), [*words, "--on", "ssh://me@host"]).exception is None


@pytest.mark.parametrize("words", [("--plan",), ("--program", "a.c", "--suite", "mm")])
def test_words_that_a_step_refuses_stop_git_bisect_run(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(build_app(), [*STEP, "--out", "x", *words], standalone_mode=False)
    assert done.return_value == 128 + BadInput.status


@pytest.mark.parametrize("words", [("image:/c",), ("--every", "series"), ("--compilers", "gcc-12"), ("--fresh",)])
def test_options_that_a_step_does_not_use_stop_git_bisect(words: tuple[str, ...], tmp_path: Path) -> None:
    done = CliRunner().invoke(build_app(), [*STEP, "--out", str(tmp_path), *words], standalone_mode=False)
    assert (done.return_value, "does nothing with --step" in done.output) == (128 + BadInput.status, True)


class Costs:
    """Doubles of the kernels and their boots: a cost for each reference, or why there is none."""

    def __init__(self, **costs: object) -> None:
        self.costs = {"good": 300.0, "bad": 600.0, **costs}
        self.booted: list[str] = []
        self.directories: list[Path] = []

    def fetch(self, refs: object, flavour: str, tell: Tell) -> tuple[object, ...]:
        head = self.costs["head"]
        if isinstance(head, Exception):
            raise head
        return (SimpleNamespace(identity=SimpleNamespace(image_sha256=f"{head}".ljust(64, "0"), release="r")),)

    def probe(self, question: SearchQuestion, ask: Ask, directory: Path, tell: Tell, *_: object) -> BootProbe:
        name = question.candidates[ask.candidate].ref.removeprefix("image:/")
        self.booted.append(name)
        self.directories.append(directory)
        cost = self.costs[name]
        if isinstance(cost, float):
            return BootProbe(outcome="value", value=cost, metric="iteration", unit="instructions/page")
        return BootProbe(outcome="not-booted", detail="no-boot: silence")


def stepped(costs: Costs, out: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str]:
    monkeypatch.setattr(kernel_store, "fetch", costs.fetch)
    monkeypatch.setattr(kernel_store, "check", lambda *_: None)
    monkeypatch.setattr(probing, "probe", costs.probe)
    done = CliRunner().invoke(build_app(), [*STEP, "--out", str(out), *words], standalone_mode=False)
    assert done.exception is None, done.exception
    return int(done.return_value), done.output


@pytest.mark.parametrize(
    ("head", "status", "said"),
    [
        (300.0, 0, "good: 300 instructions/page; good end 300, bad end 600"),
        (601.0, 1, "bad: 601 instructions/page"),
        (400.0, 0, "good: 400 instructions/page; good end 300, bad end 600; a level between"),
        (500.0, 1, "a level between the two, so nearest decides"),
        ("silent", 125, "skip: image:/head: not-booted: no-boot: silence"),
        (NotBuilt("mm/mprotect.c:1: error"), 125, "skip: image:/head is not built: mm/mprotect.c:1: error"),
        (HostLacks("disk full"), 131, "disk full"),
        (BadInput("no such file"), 130, "no such file"),
        (RuntimeError("a defect"), 133, "RuntimeError: a defect"),
    ],
)
def test_a_step_answers_in_the_words_of_git_bisect_run(
    head: object, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stepped(Costs(head=head), tmp_path / "out", monkeypatch)[0] == status
    ended, output = stepped(Costs(head=head), tmp_path / "again", monkeypatch)
    assert ended == status and said in " ".join(output.split())


def test_ends_less_than_two_margins_apart_do_not_stop_git_bisect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = [Costs(bad=304.5, head=head) for head in (302.0, 302.5)]
    found = [stepped(one, tmp_path / str(one.costs["head"]), monkeypatch)[0] for one in costs]
    assert found == [0, 1]


@pytest.mark.parametrize(("head", "status"), [(302.0, 0), (302.5, 1), (300.0, 0)])
def test_a_step_of_an_earlier_version_is_continued(
    head: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its question searched for every step, which found none for a kernel within the margin of both ends."""
    costs = Costs(bad=304.5, head=head)
    assert stepped(costs, tmp_path, monkeypatch)[0] == status
    (directory,) = (tmp_path / "heads").iterdir()
    (directory / searchlog.RESULT).unlink()
    asked = searchlog.opened(directory)
    for title in ("image:/head", "a commit of the same image"):
        good, middle, bad = asked.candidates
        before = structs.replace(asked, steps="all", candidates=(good, structs.replace(middle, title=title), bad))
        (directory / SEARCH).write_bytes(to_json(before))
        assert stepped(costs, tmp_path, monkeypatch)[0] == status
        assert loop.replay(directory) == ()
    assert costs.booted == ["good", "bad", "head"]


def test_the_ends_are_booted_once_and_an_equal_image_not_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    costs = Costs(head=300.0)
    stepped(costs, tmp_path / "out", monkeypatch)
    assert costs.booted == ["good", "bad", "head"]
    costs.costs["head"] = 600.0
    assert stepped(costs, tmp_path / "out", monkeypatch)[0] == 1
    assert stepped(costs, tmp_path / "out", monkeypatch)[0] == 1
    assert costs.booted == ["good", "bad", "head", "head"]


@pytest.mark.parametrize(("end", "head"), [("good", 600.0), ("bad", 300.0)])
def test_an_end_that_failed_once_is_booted_again(
    end: str, head: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = Costs(head=head, **{end: "the host was busy"})
    status, output = stepped(costs, tmp_path / "out", monkeypatch)
    assert status == 130 and "no-boot: silence" in " ".join(output.split())
    costs.costs[end] = 300.0 if end == "good" else 600.0
    assert stepped(costs, tmp_path / "out", monkeypatch)[0] == (head == 600.0)
    assert costs.booted.count(end) == 2
    assert len(set(costs.directories)) == len(costs.booted)


def test_by_time_a_step_holds_its_kernel_against_ends_of_the_same_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host becomes slower between two steps, by half of what the bad commit costs."""
    costs = Costs(head=300.0)
    assert stepped(costs, tmp_path / "out", monkeypatch, "--clock", "tcg")[0] == 0
    costs.costs = {"good": 450.0, "bad": 900.0, "head": 450.0}
    assert stepped(costs, tmp_path / "out", monkeypatch, "--clock", "tcg")[0] == 0
    costs.costs["head"] = 900.0
    assert stepped(costs, tmp_path / "out", monkeypatch, "--clock", "tcg")[0] == 1


def test_ends_that_do_not_differ_stop_git_bisect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, output = stepped(Costs(head=300.0, bad=300.0), tmp_path / "out", monkeypatch)
    assert status == 130 and "cost the same" in " ".join(output.split())


def test_a_step_without_a_place_for_its_ends_stops_git_bisect() -> None:
    done = CliRunner().invoke(build_app(), list(STEP), standalone_mode=False)
    assert done.return_value == 130 and "--out" in done.output


def test_other_sources_of_an_equal_image_do_not_stop_git_bisect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit that only changes documentation has a tree of its own, and so a pinned name of its own."""
    trees = iter(("1" * 40, "2" * 40))
    monkeypatch.setattr(kernel_store, "pinned", lambda ref, tell: f"image:/{next(trees)}")
    costs = Costs(head=300.0, **{"1" * 40: 300.0, "2" * 40: 300.0})
    assert [stepped(costs, tmp_path / "out", monkeypatch)[0] for _ in range(2)] == [0, 0]
    assert costs.booted == ["good", "bad", "1" * 40]


def test_time_is_predicted_of_the_culprit_alone() -> None:
    ends = listed(("debian:6.12", "debian:6.17"))
    question = _question("mprotect_toggle", ends, Searching(), Measuring(predict="alder-lake-p", trace_budget="1MiB"))
    assert question.probe.predict is UNSET and question.probe.trace_budget is UNSET
    assert question.compare.predict == ("alderlake_p",)


def test_kernels_of_a_list_are_pinned_before_they_can_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "Makefile").write_text("VERSION = 7\nPATCHLEVEL = 3\n")
    refs = [f"build:{tmp_path}/tree", "image:/bad"]
    range_ = _range(refs, Searching(), Measuring(), silent)
    assert [one.name for one in range_.candidates] == refs
    assert re.fullmatch(rf"{refs[0]},tree=[0-9a-f]{{40}}", range_.candidates[0].ref)
    assert range_.candidates[1].ref == "image:/bad"
