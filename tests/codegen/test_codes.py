# SPDX-License-Identifier: GPL-2.0-only
"""A report tells which functions of a finding a configuration compiled differently."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from kassay import pipeline
from kassay.errors import BadInput
from kassay.evidence.codes import FILE, differ_in_configuration, keep_codes, read_codes
from kassay.model.build import BuildSource
from kassay.model.codes import ComparedCode
from kassay.model.finding import Attribution, AttributionRow, Finding
from kassay.model.kernel import KernelArtifact
from kassay.model.progress import silent
from kassay.model.reason_texts import reason_text
from kassay.report.conditions import compiled
from kassay.report.formats import format_named
from tests.codegen.compiled import SCAN, built, linked, stubs
from tests.history.directories import measured, plan_with
from tests.report import parts
from tests.report.reports import SAMPLES

TOP = 0xFFFFFFFF81000000
TREE = BuildSource(base="linux", version="7.3", tree="a" * 40)


def kernel(directory: Path, config: str, text: str = SCAN, at: int = TOP) -> KernelArtifact:
    """A kernel of the same sources under a configuration, which the C text stands for."""
    directory.mkdir(exist_ok=True)
    artifact = linked((stubs(), built(text)), at, directory)
    return replace(artifact, identity=replace(artifact.identity, build=TREE, compiler="gcc", config_sha256=config))


def finding(*functions: str) -> Finding:
    """A primary finding of a and b, whose rows have these functions."""
    rows = tuple(
        AttributionRow(function=name, base=1.0, head=9.0 - n, delta=8.0 - n) for n, name in enumerate(functions)
    )
    return replace(parts.finding("a", "b", (1.0, 2.0)), attribution=Attribution(total=1.0, rows=rows, unattributed=0.0))


def text_of(codes: tuple[ComparedCode, ...]) -> str:
    return " ".join(map(reason_text, compiled(codes)))


def test_functions_are_compared_wherever_they_are_linked(tmp_path: Path) -> None:
    base = kernel(tmp_path / "a", "1")
    head = kernel(tmp_path / "b", "2", SCAN.replace("lookup(i) + 7", "lookup(i) * 7 + 1"), TOP + 0x4000)
    keep_codes(tmp_path, {("a", "b"): (base, head)}, [finding("scan", "visit", "nobody")])
    codes = read_codes(tmp_path)
    assert [(code.function, code.code) for code in codes] == [("scan", "different"), ("visit", "same")]
    assert "configuration decides the code: it differs in scan(); the same in visit()." in text_of(codes)


def test_a_function_that_one_kernel_inlines_is_named(tmp_path: Path) -> None:
    inlining = SCAN.replace("__attribute__((noinline)) static int lookup", "static inline int lookup")
    pair = kernel(tmp_path / "a", "1"), kernel(tmp_path / "b", "2", inlining)
    keep_codes(tmp_path, {("a", "b"): pair}, [finding("lookup")])
    assert [code.code for code in read_codes(tmp_path)] == ["inlined"]
    assert "inlined in one of them, or left out: lookup()." in text_of(read_codes(tmp_path))


def test_the_same_code_everywhere_is_said(tmp_path: Path) -> None:
    pair = kernel(tmp_path / "a", "1"), kernel(tmp_path / "b", "2", SCAN, TOP + 0x4000)
    keep_codes(tmp_path, {("a", "b"): pair}, [finding("scan")])
    assert "left the code of scan() as it is" in text_of(read_codes(tmp_path))


def test_a_screen_and_a_mail_have_it() -> None:
    codes = (ComparedCode(base="a", head="b", function="scan", code="different"),)
    report = replace(SAMPLES["compare"](), disclosures=compiled(codes))
    for name in ("terminal", "mail"):
        text = " ".join(format_named(name).render(report).split())
        assert "their configuration decides the code: it differs in scan()." in text, name


def test_only_the_configuration_may_differ(tmp_path: Path) -> None:
    base, head = kernel(tmp_path / "a", "1"), kernel(tmp_path / "b", "2")
    assert differ_in_configuration(base, head)
    other_tree = replace(head, identity=replace(head.identity, build=replace(TREE, tree="b" * 40)))
    other_compiler = replace(head, identity=replace(head.identity, compiler="clang"))
    same = replace(head, identity=replace(head.identity, config_sha256="1"))
    of_an_archive = replace(head, identity=replace(head.identity, build=None))
    assert not any(differ_in_configuration(base, one) for one in (other_tree, other_compiler, same, of_an_archive))


def test_a_kernel_without_symbols_stops_nothing(tmp_path: Path) -> None:
    base, head = kernel(tmp_path / "a", "1"), kernel(tmp_path / "b", "2")
    keep_codes(tmp_path, {("a", "b"): (replace(base, symbols=None), head)}, [finding("scan")])
    assert read_codes(tmp_path) == ()


def test_a_comparison_of_no_function_is_kept_and_a_damaged_file_is_named(tmp_path: Path) -> None:
    pair = kernel(tmp_path / "a", "1"), kernel(tmp_path / "b", "2")
    keep_codes(tmp_path, {("a", "b"): pair}, [finding("nobody")])
    assert (tmp_path / FILE).exists() and read_codes(tmp_path) == ()
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(BadInput, match=FILE):
        read_codes(tmp_path)


@pytest.mark.parametrize(("made", "times"), [(3, 2), (4, 1)])
def test_codes_are_compared_again_when_runs_were_still_to_be_made(
    made: int, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four runs of a kernel are all; the findings of fewer may have named other functions, or none."""
    plan = plan_with(("6.12.1", "6.17.2"))
    measured(tmp_path, plan, {0: [30] * 4, 1: [60] * made})
    compared: list[object] = []

    def kept(directory: Path, *compared_with: object) -> None:
        compared.append(compared_with)
        (directory / FILE).write_text("{}")

    supply = SimpleNamespace(plan_input=None, artifacts=(None, None))
    doubles = {
        "supply_for": lambda *_, **__: supply, "expand": lambda *_: plan, "_keep_inputs": lambda *_: None,
        "_schedule": lambda *_, **__: None, "local_host": lambda *_: nullcontext(), "make_runs": lambda *_: None,
        "differ_in_configuration": lambda *_: True, "itemised_findings": lambda _: (), "keep_codes": kept,
    }  # fmt: skip
    for name, double in doubles.items():
        monkeypatch.setattr(pipeline, name, double)
    for _ in range(2):
        pipeline.measure(plan.experiment, tmp_path, silent)
    assert len(compared) == times
