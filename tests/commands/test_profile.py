# SPDX-License-Identifier: GPL-2.0-only
"""A command line asks for the right profiles and shows them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from kassay import answers
from kassay.analysis.itemised import Profiled
from kassay.cli import build_app
from kassay.commands._profile_options import Profiling
from kassay.errors import BadInput
from kassay.journal.directory import started
from kassay.model.branches import Branch, CodePlace, FunctionBranches, KernelBranches, Loop, Times, of_kernel
from kassay.model.contexts import CONTEXTS
from kassay.model.lines import Frame
from kassay.model.reason import own_words
from tests.analysis.plans import plan_of
from tests.analysis.profiles import BASE, HEAD, value
from tests.report.reports import UNIT

LABELS = ("debian:6.0", "debian:6.1", "debian:6.2")
STACKED = msgspec.structs.replace(HEAD, mode="stacks", stacks=())
Run = Callable[..., str]
Asked = list[tuple[tuple[str, ...], str | None]]
Settings = dict[str, str]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Kernels and metric that the pipeline was asked for. The first kernel is 6.12's mprotect, the others 6.19's."""
    seen: Asked = []

    def profiles(
        directory: Path, kernels: Sequence[str], metric: str | None, settings: Settings
    ) -> tuple[Profiled, ...]:
        seen.append((tuple(kernels), metric))
        return tuple(_profiled(kernel) for kernel in kernels)

    monkeypatch.setattr(answers, "profiles", profiles)
    return seen


def _profiled(kernel: str) -> Profiled:
    profile = msgspec.structs.replace(BASE if kernel == LABELS[0] else STACKED, kernel=kernel)
    known = frozenset(one.function for one in profile.functions) | {"mincore_hugetlb"}
    return Profiled(profile=profile, unit=UNIT, value=value(profile), known=known)


@pytest.fixture
def run(tmp_path: Path, asked: Asked) -> Run:
    started(tmp_path / "runs", plan_of(3, question="ladder"))

    def shown(*words: str) -> str:
        done = CliRunner().invoke(build_app(), ["profile", str(tmp_path / "runs"), *words])
        if done.exception is not None:
            raise done.exception
        return done.output

    return shown


def test_a_ladder_is_shown_from_its_first_to_its_last_kernel(run: Run, asked: Asked) -> None:
    shown = run()
    assert asked == [((LABELS[0], LABELS[2]), None)]
    assert shown.startswith("+394.1 instructions/page: change_protection with 4 callees +394.1 (of it prot_commit_")
    assert "iteration: debian:6.0 against debian:6.2 [instructions/page]" in shown
    lines = [line.split() for line in shown.splitlines()]
    assert ["└", "change_pte_range", "-", "244.2", "+244.2", "0", "→", "0.004"] in lines
    assert ["total", "300.6", "694.7", "+394.1"] in lines


def test_two_kernels_and_a_metric_are_taken_as_named(run: Run, asked: Asked) -> None:
    run("--base", LABELS[1], "--metric", "touch")
    run("--head", LABELS[1])
    assert asked == [((LABELS[1], LABELS[2]), "touch"), (LABELS[:2], None)]


def test_kernels_are_named_as_they_were_measured(run: Run, asked: Asked) -> None:
    run("--base", "6.0", "--head", "6.1")
    run("--kernel", "6.2")
    assert asked == [(LABELS[:2], None), ((LABELS[2],), None)]


def test_one_kernel_is_shown_alone_with_shares(run: Run, asked: Asked) -> None:
    shown = run("--kernel", LABELS[1])
    assert asked == [((LABELS[1],), None)]
    lines = [line.split() for line in shown.splitlines()]
    assert ["prot_commit_flush_ptes", "328.0", "47.2", "%", "2"] in lines
    assert ["total", "694.7"] in lines


def test_top_and_context_choose_rows_and_the_rest_is_counted(run: Run) -> None:
    assert "4 more functions" in run("--top", "3")
    assert "more function" not in run("--top", "0")
    user = run("--top", "0", "--context", "user")
    assert "measure (user)" in user and "6 more functions" in user and "change_pte_range  " not in user


@pytest.mark.parametrize("context", [name for name in CONTEXTS if name not in ("user", "kernel")])
def test_a_context_without_functions_is_said_and_the_help_names_it(run: Run, context: str) -> None:
    assert run("--context", context) == f"no function of context {context}; there are functions of: user, kernel\n"
    assert context in Profiling.__dataclass_fields__["context"].metadata["option"].help


def test_a_profile_without_functions_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = msgspec.structs.replace(STACKED, functions=())
    profiled = Profiled(profile=empty, unit=UNIT, value=0.0, known=frozenset())
    monkeypatch.setattr(answers, "profiles", lambda *_: (profiled, profiled))
    assert run("--context", "idle") == "no function of context idle; the profile has no functions\n"


def test_clones_are_folded_when_asked(run: Run, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = msgspec.structs.replace(HEAD.functions[0], function="do_mprotect_pkey.cold", instructions=7_000)
    more = msgspec.structs.replace(_profiled(LABELS[1]), profile=msgspec.structs.replace(
        HEAD, kernel=LABELS[1], functions=(*HEAD.functions, clone)
    ))  # fmt: skip
    monkeypatch.setattr(answers, "profiles", lambda *_: (more,))
    assert "do_mprotect_pkey.cold" in run("--kernel", LABELS[1])
    folded = run("--kernel", LABELS[1], "--fold")
    assert "do_mprotect_pkey.cold" not in folded and " 22.3 " in folded


def test_under_a_clock_that_measures_time_instructions_are_itemised(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def timed(kernel: str) -> Profiled:
        one = _profiled(kernel)
        profile = msgspec.structs.replace(one.profile, ticks=None)
        return msgspec.structs.replace(one, profile=profile, unit="ns/page", value=99_999.0)

    monkeypatch.setattr(answers, "profiles", lambda _, kernels, *more: tuple(map(timed, kernels)))
    shown = run()
    assert shown.startswith("+394.1 instructions/page: ") and "[ns/" not in shown
    assert ["total", "300.6", "694.7", "+394.1"] in [line.split() for line in shown.splitlines()]


def test_an_export_goes_to_a_file_or_to_standard_output(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "p.json"
    assert run("--kernel", LABELS[1], "--export", "speedscope", "--out", str(out)) == ""
    assert json.loads(out.read_text())["profiles"][0]["type"] == "sampled"
    assert "# callgrind format" in run("--kernel", LABELS[1], "--export", "callgrind")


def _refusing(monkeypatch: pytest.MonkeyPatch, **fields: object) -> list[Settings]:
    seen = []

    def profiles(_: Path, kernels: Sequence[str], metric: str | None, settings: Settings) -> tuple[Profiled, ...]:
        seen.append(settings)
        return tuple(msgspec.structs.replace(_profiled(kernel), **fields) for kernel in kernels)

    monkeypatch.setattr(answers, "profiles", profiles)
    return seen


def test_that_there_is_no_verdict_is_said_first(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _refusing(monkeypatch, verdict="contaminated", reasons=(own_words("other tasks ran", "b"),))
    source = tmp_path / "mprotect.c"
    source.write_text("void change_pte_range(void)\n{\n}\n")
    for words in ((), ("--kernel", LABELS[1]), ("--coverage", str(source))):
        shown = run(*words).splitlines()
        assert shown[0] == "no verdict (contaminated): b: other tasks ran"
        assert sum("no verdict" in line for line in shown) == 1


def test_a_refusal_does_not_get_into_what_a_viewer_reads(
    tmp_path: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(tmp_path / "runs", plan_of(2))
    _refusing(monkeypatch, verdict="contaminated", reasons=(own_words("other tasks ran", "b"),))
    words = ["profile", str(tmp_path / "runs"), "--kernel", LABELS[1], "--export", "callgrind"]
    done = CliRunner().invoke(build_app(), words)
    assert done.stdout.startswith("# callgrind format") and "no verdict" not in done.stdout
    assert done.stderr == "no verdict (contaminated): b: other tasks ran\n"


def test_one_setting_of_several_is_chosen_and_named_in_every_title(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = _refusing(monkeypatch, where="setting 2 of 4: size=1MiB")
    source = tmp_path / "mprotect.c"
    source.write_text("void change_pte_range(void)\n{\n}\n")
    for words in ((), ("--kernel", LABELS[1]), ("--coverage", str(source))):
        assert "(setting 2 of 4: size=1MiB)" in run(*words, "--set", "size=1MiB", "--set", "cpus=2")
    assert seen == [{"size": "1MiB", "cpus": "2"}] * 3


def test_coverage_shows_every_kernel_and_every_function_of_the_file(run: Run, asked: Asked, tmp_path: Path) -> None:
    source = tmp_path / "mprotect.c"
    source.write_text("void change_pte_range(void)\n{\n}\nint mincore_hugetlb(void)\n{\n}\nint gone(void)\n{\n}\n")
    lines = [line.split() for line in run("--coverage", str(source)).splitlines()]
    assert asked == [(LABELS, None)]
    assert ["change_pte_range", "no", "symbol", "0.004", "/", "244.2", "0.004", "/", "244.2"] in lines
    assert ["mincore_hugetlb", *("not", "executed") * 3] in lines
    assert ["gone", *("no", "symbol") * 3] in lines


def _branches(kernel: str, taken: Times, frames: tuple[Frame, ...] = ()) -> KernelBranches:
    place = CodePlace(symbol="change_pte_range", offset=0x1F, frames=frames)
    passed = Times(least=512 - taken.most, most=512 - taken.least)
    branch = Branch(place=place, instruction="je", leads_to=0x40, executed=512, taken=taken, passed=passed)
    loop = Loop(place=place, entered=Times(least=2, most=2), iterations=1024)
    found = FunctionBranches(branches=(branch,), loops=(loop,), calls=2, has_lines=bool(frames))
    return of_kernel(msgspec.structs.replace(BASE, kernel=kernel, operations=512), UNIT, "", found)


FRAMES = (
    Frame(function="pte_write", file="include/linux/pgtable.h", line=7),
    Frame(function="change_pte_range", file="mm/mprotect.c", line=306),
)


@pytest.fixture
def branching(monkeypatch: pytest.MonkeyPatch) -> None:
    """One branch and one loop on each kernel; the first has line tables, the others have counts that leave a range."""

    def branches(_: Path, kernels: Sequence[str], metric: str | None, settings: Settings, function: str
    ) -> tuple[KernelBranches, ...]:  # fmt: skip
        assert (function, metric, settings) == ("change_pte_range", "protect", {"size": "1MiB"})
        exact, between = Times(least=128, most=128), Times(least=128, most=256)
        rows = {LABELS[0]: (exact, FRAMES)}
        return tuple(_branches(kernel, *rows.get(kernel, (between, ()))) for kernel in kernels)

    monkeypatch.setattr(answers, "branches", branches)


ASKED = ("--branches", "change_pte_range", "--metric", "protect", "--set", "size=1MiB")


@pytest.mark.usefixtures("branching")
def test_branches_and_loops_of_a_function_are_shown_per_operation(run: Run) -> None:
    shown = run("--kernel", LABELS[0], *ASKED)
    assert "0.003906 calls per page, 1 branch, 1 of them both ways, 1 loop." in shown
    rows = [line.split("  ") for line in shown.splitlines()]
    lines = [[word.strip() for word in row if word] for row in rows]
    source = "mm/mprotect.c:306 change_pte_range (pte_write)"
    assert [source, "+0x1f je +0x40", "1", "0.25", "0.75", "25.0 %"] in lines
    assert [source, "+0x1f", "0.003906", "2", "512"] in lines
    assert "All counts are exact" in shown and "without line tables" not in shown


@pytest.mark.usefixtures("branching")
def test_two_kernels_have_their_branches_one_after_the_other_and_ranges_are_named(run: Run) -> None:
    shown = run(*ASKED, "--format", "markdown")
    assert f"#### {LABELS[0]}, iteration: branches, times per page" in shown
    assert f"#### {LABELS[2]}, iteration: branches, times per page" in shown
    assert "| 1 | 0.25 to 0.5 | 0.5 to 0.75 | 25.0 % to 50.0 % |" in shown.replace("**", "")
    assert "A to B: the counts" in shown and "A kernel without line tables" in shown


@pytest.mark.usefixtures("branching")
def test_programs_read_whole_counts_of_branches(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _refusing(monkeypatch, verdict="contaminated", reasons=(own_words("other tasks ran", "b"),))
    done = run("--kernel", LABELS[0], *ASKED, "--format", "json")
    told, _, text = done.partition("{")
    record = json.loads("{" + text)
    assert told.startswith("no verdict (contaminated)")  # on the standard error
    assert (record["schema"], record["function"]) == ("kassay-branches/1", "change_pte_range")
    (kernel,) = record["kernels"]
    assert (kernel["operations"], kernel["unit"], kernel["found"]["calls"]) == (512, UNIT, 2)
    assert kernel["found"]["branches"][0]["taken"] == {"least": 128, "most": 128}
    assert kernel["found"]["loops"][0]["iterations"] == 1024


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kernel", "a", "--base", "b"), "--kernel: shows one kernel, --base and --head compare two"),
        (("--base", LABELS[2]), "--base and --head: both are debian:6.2"),
        (
            ("--context", "kernal"),
            "--context: unknown 'kernal'\n  did you mean kernel? known: user, kernel, interrupt, other, idle",
        ),
        (("--export", "folded"), "--export: writes one kernel's profile\n  add --kernel, one of debian:6.0, "),
        (("--kernel", LABELS[1], "--export", "paper"), "--export: unknown 'paper'\n  known: callgrind (for KCach"),
        (("--kernel", LABELS[0], "--export", "folded"), "run r1 of debian:6.0 carries counts, no call stacks"),
        (("--format", "json"), "--format: only --branches has other forms"),
        (("--branches", "f", "--format", "paper"), "--format: unknown 'paper'"),
        (("--branches", "f", "--coverage", "x.c"), "--coverage and --branches: each is an answer of its own"),
        (("--coverage", "/nowhere.c"), "/nowhere.c: No such file"),
        (("--set", "size"), "--set 'size': write NAME=VALUE\n  for example --set size=16MiB"),
        (("--set", "size=1", "--set", "size=2"), "--set size: given twice"),
        (("--out", "x"), "--out: there is no --export"),
        (("--coverage", "x.c", "--lines", "x"), "--coverage and --lines: each is an answer of its own"),
        (("--kernel", LABELS[1], "--export", "folded", "--coverage", "x.c"), "--export and --coverage: each"),
        (("--kernel", LABELS[1], "--export", "folded", "--lines", "x"), "--export and --lines: each"),
        (("--kernel", LABELS[1], "--export", "folded", "--out", "/nope/x"), "there is no directory /nope\n"),
    ],
)
def test_what_cannot_be_shown_is_said_with_the_way_out(run: Run, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        run(*words)
    assert said in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 3


def test_a_place_without_runs_is_said(tmp_path: Path) -> None:
    done = CliRunner().invoke(build_app(), ["profile", str(tmp_path)])
    assert isinstance(done.exception, BadInput) and "not a run directory" in str(done.exception)
