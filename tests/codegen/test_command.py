# SPDX-License-Identifier: GPL-2.0-only
"""kassay codegen, with kernels and objects made here of small C files."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import msgspec
import pytest
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput, NotBuilt
from kassay.labs.codegen.commands import _bodies as _codegen_bodies
from kassay.labs.codegen.commands import _counts as _codegen_counts
from kassay.labs.codegen.commands._bodies import FoundCode, in_objects, with_compiler
from kassay.labs.codegen.commands._counts import with_executions
from kassay.model.experiment import Experiment, KernelUse
from kassay.model.kernel import KernelArtifact, KernelRef, parse_ref
from kassay.model.progress import Tell, silent
from kassay.supply.building.git import GitFailed
from kassay.supply.machine_code.images import Image
from tests.codegen.compiled import SCAN, built, linked, stubs
from tests.codegen.test_images import symbols_with

pytestmark = pytest.mark.slow  # seconds for the whole file

TOP = 0xFFFFFFFF81000000
LONGER = SCAN.replace("+ 7", "+ (n ^ i) * 7")
REFS = {"image:old": SCAN, "image:moved": SCAN, "image:new": LONGER}


class Made(NamedTuple):
    path: Path
    compiler: str
    arch: str = "x86_64"
    tree: str = "f" * 40


def building(sources: dict[str, str], failing: str = "") -> Callable[[KernelRef, str, Tell], Made]:
    """A builder that compiles the C text of a tree's name; what has `failing` in its reference does not build."""

    def build(ref: KernelRef, source: str, tell: Tell) -> Made:
        if failing and failing in ref.text:
            raise NotBuilt(f"{ref.text}: mm/a.c:3: error: no", log="log")
        locator = ref.locator.split(",")
        cc = next((o.removeprefix("cc=") for o in locator if o.startswith("cc=")), "gcc-12")
        return Made(built(sources[locator[0]], cc), f"{cc} (Debian) 12.2.0")

    return build


def refs(*texts: str) -> list[KernelRef]:
    return [parse_ref(text) for text in texts]


@pytest.fixture(scope="module")
def linked_kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, KernelArtifact]:
    """Three kernels, the second one linked elsewhere."""
    made, top = {}, tmp_path_factory.mktemp("kernels")
    for number, (ref, text) in enumerate(REFS.items()):
        place = top / str(number)
        place.mkdir()
        one = linked((stubs(padding=9 * number), built(text)), TOP + 0x1000 * number, place)
        identity = msgspec.structs.replace(one.identity, ref=ref, image_sha256=ref, compiler="gcc-12 (Debian) 12.2.0")
        made[ref] = msgspec.structs.replace(one, identity=identity)
    return made


@pytest.fixture
def kernels(linked_kernels: dict[str, KernelArtifact], monkeypatch: pytest.MonkeyPatch) -> dict[str, KernelArtifact]:
    """The same, where kernels are looked for."""

    def fetch(asked: list[KernelRef], flavour: str, tell: Tell) -> tuple[KernelArtifact, ...]:
        return tuple(linked_kernels[ref.text] for ref in asked)

    monkeypatch.setattr("kassay.supply.kernels.fetch", fetch)
    monkeypatch.setattr("kassay.supply.kernels.check", lambda *_: None)
    return linked_kernels


def run(*words: str) -> tuple[int, str, Exception | None]:
    done = CliRunner().invoke(build_app(), ["codegen", *words])
    error = done.exception
    return done.exit_code, done.stdout, error if isinstance(error, Exception) else None


@pytest.mark.usefixtures("kernels")
def test_kernels_are_sorted_into_classes() -> None:
    status, text, _ = run("scan", *REFS)
    assert status == 0
    assert "scan: two different functions in three kernels, built by gcc 12.2.0" in text
    assert "A in image:old, image:moved; B in image:new" in " ".join(text.split())
    assert all(len(line) <= 120 for line in text.splitlines())


@pytest.mark.usefixtures("kernels")
def test_json_is_the_promised_interface() -> None:
    status, text, _ = run("scan", *REFS, "--format", "json")
    found = json.loads(text)
    assert (status, found["schema"], found["function"]) == (0, "kassay-codegen/1", "scan")
    rows = found["references"]
    assert [row["reference"] for row in rows] == list(REFS)
    assert [row["class"] for row in rows] == ["A", "A", "B"]
    assert [row["same_bytes"] for row in rows] == [None, True, None]
    assert rows[0]["sha256"] == rows[1]["sha256"] != rows[2]["sha256"]
    assert all(row["compiler"] == "gcc-12 (Debian) 12.2.0" and row["size"] > 0 for row in rows)


@pytest.mark.usefixtures("kernels")
def test_two_classes_stand_side_by_side_in_text_and_on_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    status, text, _ = run("scan", *REFS, "--show", "A,B", "--out", str(page))
    assert status == 0
    assert "A: image:old" in text and "B: image:new" in text and " | " in text
    assert all(len(line) <= 120 for line in text.splitlines())
    html = page.read_text()
    assert "image:new" in html and "callq visit" in html and "&#34;odd entry&#34;" in html
    assert "http://" not in html and "https://" not in html


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scam", "image:old"), "functions that are there: scan"),
        (("scan", "image:old", "--show", "A,B"), "all code is of class A"),
        (("scan", "image:old", "--cc", "gcc-12"), "--source"),
        (("scan", "image:old", "--runs", "a", "--measure", "b"), "give one of them"),
        (("scan", "image:old", "--format", "pdf"), "known: html, json, mail, markdown, markdown_full, terminal"),
        (("scan", "image:old", "--out", "a.pdf"), "known: .html, .json, .mail, .markdown, .md, .txt"),
        (("scan", "image:old", "--source", "mm/a.c"), "name sources as build:TREE"),
        (("scan", "elf:old"), "one of debian:, image:"),
    ],
)
def test_a_slip_is_told_with_the_way_out(words: tuple[str, ...], said: str) -> None:
    status, _, error = run(*words)
    assert status != 0 and isinstance(error, BadInput)
    assert said in str(error)


def test_every_compiler_builds_every_source() -> None:
    found = in_objects("scan", "mm/a.c", refs("build:a", "build:b"), ("gcc-12", "clang-14"), silent,
                       building({"a": SCAN, "b": LONGER}))  # fmt: skip
    assert [(one.body.reference, one.body.cc) for one in found] == [
        ("build:a", "gcc-12"), ("build:b", "gcc-12"), ("build:a", "clang-14"), ("build:b", "clang-14"),
    ]  # fmt: skip
    assert len({one.body.sha256 for one in found}) == 4


def test_a_build_that_fails_is_a_row_and_no_end() -> None:
    found = in_objects("scan", "mm/a.c", refs("build:a", "build:b"), (), silent, building({"a": SCAN}, "build:b"))
    assert [one.body.outcome for one in found] == ["compiled", "not-built"]
    assert "mm/a.c:3: error" in found[1].body.detail


def test_when_nothing_builds_the_first_error_is_the_answer() -> None:
    with pytest.raises(NotBuilt, match=r"build:a.*error: no"):
        in_objects("scan", "mm/a.c", refs("build:a", "build:b"), (), silent, building({}, "build:"))


def test_inlined_and_absent_are_told_apart_by_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = SCAN.replace("scan(", "scan_all(")
    text = {"inlined": "static int scan(int a)\n{\n}\n", "absent": gone}

    def look(which: str) -> list[FoundCode]:
        monkeypatch.setattr("kassay.supply.building.git.git", lambda arguments: text[which])
        return in_objects("scan", "mm/a.c", refs("build:a", "build:b"), (), silent, building({"a": SCAN, "b": gone}))

    for outcome in text:
        assert [one.body.outcome for one in look(outcome)] == ["compiled", outcome]


def test_a_source_that_cannot_be_read_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(arguments: object) -> str:
        raise GitFailed("no tree")

    monkeypatch.setattr("kassay.supply.building.git.git", fails)
    build = building({"a": SCAN, "b": SCAN.replace("scan(", "scan_all(")})
    found = in_objects("scan", "mm/a.c", refs("build:a", "build:b"), (), silent, build)
    assert found[1].body.detail == "no symbol of that name: inlined, or not compiled in"


def test_a_compiler_is_put_into_the_reference_whatever_else_it_says() -> None:
    ref = with_compiler(parse_ref("arm64/build:/src@v6.16+a.patch,cc=gcc-11,config=lab+x.config"), "clang-16")
    assert ref.text == "arm64/build:/src@v6.16+a.patch,cc=clang-16,config=lab+x.config"
    assert (ref.arch, ref.kind) == ("arm64", "build")


def measured(monkeypatch: pytest.MonkeyPatch, called: dict[str, KernelArtifact], executions: int) -> None:
    """A directory of runs in which each instruction of scan ran `executions` times in ten operations."""
    uses = tuple(KernelUse(ref=ref) for ref in called)
    experiment = Experiment(name="x", question="ladder", kernels=uses, workloads=(SimpleNamespace(name="w"),))  # type: ignore[arg-type]
    plan = SimpleNamespace(experiment=experiment, kernels=tuple(one.identity for one in called.values()))
    monkeypatch.setattr(_codegen_counts, "open_directory", lambda directory: SimpleNamespace(plan=plan))

    def profiles(directory: Path, wanted: list[str], metric: str | None, settings: object) -> list[SimpleNamespace]:
        profile = SimpleNamespace(operations=10, phase="iteration")
        made = SimpleNamespace(
            profile=profile, unit="instructions/page", value=99.5, workload="w", verdict="", reasons=()
        )
        return [made for _ in wanted]

    def executed(directory: Path, label: str, metric: str | None, settings: object) -> SimpleNamespace:
        found = Image(called[label]).find("scan")
        assert found is not None
        start = found.parts[0].spot[1]
        return SimpleNamespace(places={start + at: executions for at in (0, 2)})

    monkeypatch.setattr("kassay.answers.profiles", profiles)
    monkeypatch.setattr("kassay.answers.executed", executed)


def test_executions_are_those_of_the_kernel_with_the_same_image(
    kernels: dict[str, KernelArtifact], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, {name: kernels[name] for name in ("image:old", "image:new")}, 30)
    found = _codegen_bodies.in_images("scan", refs(*REFS), "cloud", silent)
    counts = with_executions("scan", found, Path("runs"), None, {}, "cloud", silent)
    assert (counts.workload, counts.metric, counts.unit) == ("w", "iteration", "instructions/page")
    assert [body.executed for body in counts.bodies] == [6.0, None, 6.0]
    assert [body.value for body in counts.bodies] == [99.5, None, 99.5]
    first = [one.count for one in counts.bodies[0].instructions[:3]]
    assert first in ([3.0, 3.0, 0.0], [6.0, 0.0, 0.0])  # the first block, which gcc 16 ends after one instruction
    assert counts.bodies[1].note == "not in the runs"


def test_an_object_takes_the_counts_of_the_linked_kernel_only_where_it_is_the_same_code(
    kernels: dict[str, KernelArtifact], monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(monkeypatch, {"image:old": kernels["image:old"]}, 30)
    rows = in_objects("scan", "mm/a.c", refs("build:a", "build:b"), (), silent, building({"a": SCAN, "b": LONGER}))
    monkeypatch.setattr("kassay.supply.kernels.fetch", lambda *_: (kernels["image:old"],))
    same, other = with_executions("scan", rows, Path("runs"), None, {}, "cloud", silent).bodies
    assert (same.executed, same.instructions[0].count, same.note) == (6.0, 3.0, "")
    assert (other.executed, other.instructions[0].count) == (6.0, None)
    assert "another one than in the object" in other.note


def test_an_object_has_no_counts_where_the_linked_kernel_may_have_two_such_functions(
    kernels: dict[str, KernelArtifact], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = symbols_with(kernels["image:old"], tmp_path, f"{TOP + 2:016x} t scan.isra.0")
    measured(monkeypatch, {"image:old": old}, 30)
    rows = in_objects("scan", "mm/a.c", refs("build:a"), (), silent, building({"a": SCAN}))
    monkeypatch.setattr("kassay.supply.kernels.fetch", lambda *_: (old,))
    (body,) = with_executions("scan", rows, Path("runs"), None, {}, "cloud", silent).bodies
    assert (body.executed, body.note) == (None, "in the linked kernel 2 functions are called scan or scan.isra.0")


def test_runs_of_other_kernels_are_refused(kernels: dict[str, KernelArtifact], monkeypatch: pytest.MonkeyPatch) -> None:
    measured(monkeypatch, {"image:new": kernels["image:new"]}, 1)
    found = _codegen_bodies.in_images("scan", refs("image:old"), "cloud", silent)
    with pytest.raises(BadInput, match="measured none of these kernels"):
        with_executions("scan", found, Path("runs"), None, {}, "cloud", silent)
