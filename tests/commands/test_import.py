# SPDX-License-Identifier: GPL-2.0-only
"""kassay import: what it prints, what it writes, and what it refuses."""

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kassay.cli import build_app
from kassay.errors import BadInput
from kassay.tools.imports.read import importers
from kassay.tools.imports.store import load
from tests.imports.files import DATA, LKP, MAIL, both

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def said(*words: str, out: str = "d") -> str:
        done = CliRunner().invoke(build_app(), ["import", *words, "--out", str(tmp_path / out)])
        if done.exception is not None:
            raise done.exception
        assert done.exit_code == 0
        return " ".join(done.stdout.split())

    return said


def test_import_prints_summary_unknowns_and_next_steps(run: Run, tmp_path: Path) -> None:
    said = run(str(DATA / "plain.csv"))
    assert "read 1 file as plain CSV kernel: 6.12 (base) kernel: 6.17 " in said
    assert "6.12: mprotect_toggle size=16MiB cost [ns/page], lower is better, n 2, 1 failed" in said
    assert "unknown: memory state (nothing was audited), kernel image, compiler, machine " in said
    assert said.endswith(f"next: kassay report {tmp_path / 'd'}")
    assert load(tmp_path / "d").name == "d"


def test_a_mail_is_known_by_its_means_alone(run: Run) -> None:
    said = run(str(MAIL))
    assert "will-it-scale.per_process_ops [ops/s], higher is better, mean 307105, n unknown" in said
    assert "also read: mpstat.cpu.all.usr%," in said and "and 249 more (--metric chooses)" in said
    assert "unknown: memory state (nothing was audited), kernel image, order of boots, single values" in said


def test_options_choose_metric_and_base(run: Run, tmp_path: Path) -> None:
    said = run(str(LKP), "--kernel-order", "ba6149e960, 9f9d0b0869", "--metric", "will-it-scale.workload")
    assert "kernel: ba6149e960 (base)" in said
    samples = load(tmp_path / "d")
    assert {series.metric for series in samples.series if series.primary} == {"will-it-scale.workload"}


def test_the_format_can_be_said(run: Run) -> None:
    assert "read 1 file as plain CSV" in run(str(DATA / "plain.csv"), "--as", "plain_csv")
    with pytest.raises(BadInput, match="no column version_family"):
        run(str(DATA / "plain.csv"), "--as", "framework_csv", out="e")
    with pytest.raises(BadInput, match="--as: unknown 'xml'\n  known formats: framework_csv, "):
        run(str(DATA / "plain.csv"), "--as", "xml", out="f")


def test_the_same_again_is_fine_and_anything_else_is_refused(run: Run) -> None:
    words = both("google-benchmark", ".json")
    assert run(*words) == run(*words)
    with pytest.raises(BadInput, match="holds another import"):
        run(*words, "--metric", "cpu_time")


def test_the_help_names_every_format_and_shows_how_to_begin() -> None:
    shown = " ".join(CliRunner().invoke(build_app(), ["import", "--help"]).output.split())
    for word in (*importers(), "LKP", "kernel,metric,value", "6.12=a1"):
        assert word in shown
    assert "[KERNEL=]FILE" in shown


def test_names_of_others_neither_move_the_cursor_nor_fill_the_screen(tmp_path: Path) -> None:
    rows = ["kernel,metric,value,workload", *(f"{k},m\x1b[2J{'x' * 5000},{v},w{'y' * 5000}\x9b" for k, v in
            (("a\x1b]0;pwned\x07", 1), ("b" * 5000, 2)))]  # fmt: skip
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    done = CliRunner().invoke(build_app(), ["import", str(tmp_path / "x.csv"), "--out", str(tmp_path / "d")])
    assert done.exit_code == 0
    assert {c for c in done.stdout if unicodedata.category(c) == "Cc"} == {"\n"}
    assert max(map(len, done.stdout.splitlines())) <= 400 and "higher is better" not in done.stdout
    assert "metric: " in done.stdout and ", n 1" in done.stdout


def test_a_refusal_prints_names_of_others_without_what_moves_the_cursor(tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.csv").write_text(f"kernel,metric,value\na\x1b[2J{'b' * 5000},m,1\n")
    with pytest.raises(BadInput, match="only one kernel") as caught:
        run(str(tmp_path / "x.csv"))
    assert all(line.isprintable() and len(line) <= 402 for line in str(caught.value).split("\n"))


def test_without_out_the_directory_is_named_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert CliRunner().invoke(build_app(), ["import", str(DATA / "plain.csv")]).exit_code == 0
    (made,) = (tmp_path / "kassay-out").iterdir()
    assert made.name.startswith("import-") and load(made).name == "import"
