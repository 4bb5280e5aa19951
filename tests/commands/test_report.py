# SPDX-License-Identifier: GPL-2.0-only
"""kassay report: others' rules, mails that thread, charts beside, and what is refused."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kassay.cli import build_app

CSV = "kernel,metric,value,block,unit,better\n" + "".join(
    f"{kernel},time,{value + block},{block},ns,lower\n"
    for block in range(8)
    for kernel, value in (("old", 100), ("new", 150))
)


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report")
    (place / "values.csv").write_text(CSV)
    said(0, "import", str(place / "values.csv"), "--out", str(place / "d"))
    return place / "d"


def said(status: int, *words: str) -> str:
    done = CliRunner().invoke(build_app(), list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        assert status == 2, done.exception
        return str(done.exception)
    assert status == 0, done.output
    return done.output


def test_others_rules_stand_beside_kassays_on_request_only(imported: Path) -> None:
    both = " ".join(said(0, "report", str(imported), "--rules", "seed").split())
    assert "by the seeds' rules" in both and "regression, reliable" in both and "kassay: regression, partial" in both
    assert "by the seeds' rules" not in said(0, "report", str(imported))


def test_a_mail_threads_and_has_its_readers(imported: Path) -> None:
    words = ("--format", "mail", "--in-reply-to", "<a@b.example>", "--to", "linux-mm@kvack.org", "--cc", "x@y.example")
    head = said(0, "report", str(imported), *words).partition("\n\n")[0]
    assert "In-Reply-To: <a@b.example>" in head and "To: linux-mm@kvack.org" in head and "Cc: x@y.example" in head


@pytest.mark.slow
def test_charts_are_written_as_svg_and_png(imported: Path, tmp_path: Path) -> None:
    said(0, "report", str(imported), "--charts", str(tmp_path / "c"))
    assert (tmp_path / "c" / "report-1.svg").read_bytes().startswith(b"<svg")
    assert (tmp_path / "c" / "report-1.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_workload_is_named_before_the_answer(imported: Path) -> None:
    done = CliRunner().invoke(build_app(), ["report", str(imported), "--exit-code", "--allow-refused", "nothing"])
    assert (done.output, "--allow-refused nothing" in str(done.exception)) == ("", True)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--rules", "house"), "--rules: unknown 'house'"),
        (("--in-reply-to", "<a@b.example>"), "--in-reply-to: for --format mail, not for terminal\n  add --format mail"),
        (("--format", "mail", "--to", "a@b.example\nBcc: c@d.example"), "--to"),
        (("--format", "telegram"), "--format: unknown 'telegram'"),
    ],
)
def test_what_makes_no_sense_is_refused(imported: Path, words: tuple[str, ...], what: str) -> None:
    assert what in said(2, "report", str(imported), *words)
