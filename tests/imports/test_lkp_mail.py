# SPDX-License-Identifier: GPL-2.0-only
"""The mail of the seeds: every row, both commits, cycles per operation and function, and n by inference only."""

import re
from pathlib import Path

import pytest
from msgspec import structs

from kassay.analysis.imported import judge_samples
from kassay.model.samples import Spread
from kassay.tools.imports.lkp_table import function_shares
from tests.imports.files import MAIL, changed, imported, one, refused

BASE, HEAD = "9f9d0b0869", "ba6149e960"
HEADLINE = "will-it-scale.per_process_ops"


def test_every_row_of_the_mail_is_there_in_its_order_and_as_printed() -> None:
    samples = imported(str(MAIL))
    lines = MAIL.read_text().splitlines()
    start = lines.index("\\ | \\") + 1
    rows = lines[start : lines.index("Disclaimer:")]
    assert len(rows) == 258
    heads = [series for series in samples.series if series.kernel == HEAD]
    bases = [series for series in samples.series if series.kernel == BASE]
    for row, base, head in zip(rows, bases, heads, strict=True):
        assert base.spread is not None and head.spread is not None and base.metric == head.metric
        made = " ".join((_side(base.spread), head.spread.change_text, _side(head.spread), head.metric))
        assert re.sub(r"\s*±\s*", "±", row) == made


def _side(spread: Spread) -> str:
    return f"{spread.mean_text}±{spread.deviation_text}" if spread.deviation_text else spread.mean_text


def test_kernels_machine_settings_and_headline_come_from_the_mail() -> None:
    samples = imported(str(MAIL))
    assert [(k.label, k.commit, k.compiler) for k in samples.kernels] == [
        (BASE, "9f9d0b08696fb316", "gcc-12"), (HEAD, "ba6149e96007edcdb01284c1531ebd49b4720f72", "gcc-12"),
    ]  # fmt: skip
    primary = [series for series in samples.series if series.primary]
    assert {series.metric for series in primary} == {"will-it-scale.per_process_ops"}
    assert {(s.better, s.unit, s.workload, s.cpus) for s in primary} == {("higher", "ops/s", "will-it-scale", 224)}
    assert [(s.name, s.value) for s in primary[0].settings] == [
        ("cpufreq_governor", "performance"), ("mode", "process"), ("nr_task", "16"), ("test", "page_fault2"),
    ]  # fmt: skip
    assert samples.machine.startswith("lkp-cpl-4sp2, 224 threads 4 sockets")
    header = samples.lkp_header
    assert header is not None and dict(header.axes)["kconfig"] == "x86_64-rhel-8.3"
    assert (header.base_id, header.head_id) == ("9f9d0b08696fb316", "ba6149e96007edcdb01284c1531")
    assert header.head_subject == "mm: tune PCP high automatically"


def test_n_is_an_inference_and_is_used_nowhere() -> None:
    samples = imported(str(MAIL))
    assert samples.replication == "unknown"
    assert {series.spread.n for series in samples.series if series.spread is not None} == {None}
    (note,) = [note for note in samples.notes if note.startswith("n is not printed")]
    assert "223, 142, 141, 70, 46, 45, 44 %" in note and "n = 6 is likely" in note and "k = 1, 2, 4, 5" in note


def test_cycles_per_operation_fall_while_copy_page_grows_by_fifteen_percent() -> None:
    (shares,) = imported(str(MAIL)).shares
    assert (shares.unit, shares.workload) == ("cycles/op", "will-it-scale")
    assert shares.base_total == pytest.approx(2.29 * 2.861e10 / 4913700) == pytest.approx(13333, abs=1)
    assert shares.head_total == pytest.approx(12363, abs=1)
    rows = {name: (base, head) for name, base, head in shares.rows}
    assert len(rows) == 37
    base, head = rows["copy_page"]
    assert base is not None and head is not None
    assert base == pytest.approx(0.2010 * 13333.5, abs=1) and head == pytest.approx(0.2502 * 12363, abs=1)
    assert 1.14 < head / base < 1.16
    assert rows["__cond_resched"][0] is None and rows["__cond_resched"][1] is not None
    printed = sum(base or 0.0 for base, _ in rows.values())
    assert 0 < printed < shares.base_total


def test_cycles_per_operation_are_checked_by_the_counters_of_the_whole_run() -> None:
    notes = imported(str(MAIL)).notes
    assert any(
        "13334 -> 12363; by the counters of the whole run 13292 -> 12266, which agrees" in note for note in notes
    )


def test_counters_that_contradict_each_other_are_said(tmp_path: Path) -> None:
    mail = changed(tmp_path, MAIL, "2.29 -3.1% 2.21 perf-stat.overall.cpi", "2.59 -3.1% 2.21 perf-stat.overall.cpi")
    assert any("does NOT agree" in note for note in imported(str(mail)).notes)


@pytest.mark.parametrize("key", ["perf-stat.i.cpi", "perf-stat.i.instructions", "will-it-scale.workload"])
def test_without_a_factor_there_are_no_cycles_and_the_mail_says_why(tmp_path: Path, key: str) -> None:
    (row,) = [line for line in MAIL.read_text().splitlines() if line.endswith(f" {key}")]
    samples = imported(str(changed(tmp_path, MAIL, f"{row}\n", "")))
    assert samples.shares == ()
    assert any(note.startswith("no cycles per operation") and key.split(".")[-1] in note for note in samples.notes)


@pytest.mark.parametrize("key", ["perf-stat.i.cpi", "perf-stat.i.instructions", "x.workload"])
@pytest.mark.parametrize(
    ("means", "where"), [((0.0, 2.0), "base"), ((2.0, 0.0), "head"), ((0.0, 0.0), "base and in head")]
)
def test_with_a_factor_of_zero_nothing_is_multiplied_or_divided(
    key: str, means: tuple[float, float], where: str
) -> None:
    some = Spread(mean=2.0, deviation=None, n=None)
    base, head = (structs.replace(some, mean=mean) for mean in means)
    keys = ("perf-stat.i.cpi", "perf-stat.i.instructions", "perf-profile.self.cycles-pp.f", "x.workload")
    found, notes = function_shares("w", {**dict.fromkeys(keys, (some, some)), key: (base, head)})
    assert found is None and notes[0].endswith(f"{key} is zero in {where}")


def test_counters_of_zero_do_not_agree() -> None:
    some, none = (Spread(mean=mean, deviation=None, n=None) for mean in (2.0, 0.0))
    keys = ("perf-stat.i.cpi", "perf-stat.i.instructions", "perf-profile.self.cycles-pp.f", "x.workload")
    whole = {"perf-stat.overall.cpi": (none, some), "perf-stat.ps.instructions": (some, some)}
    _, notes = function_shares("w", {**dict.fromkeys(keys, (some, some)), **whole})
    assert notes == (
        "cycles per operation could not be checked: no perf-stat.overall.cpi and perf-stat.ps.instructions",
    )


def test_several_tables_of_one_pair_are_settings_of_one_import(tmp_path: Path) -> None:
    text = MAIL.read_text()
    table = text[text.index("=====") : text.index("Disclaimer:")]
    (tmp_path / "two.txt").write_text(f"{text}\n\n{table.replace('process/16/', 'process/64/')}\n")
    samples = imported(str(tmp_path / "two.txt"))
    assert one(samples, HEAD, "will-it-scale.per_process_ops", nr_task="64")
    assert samples.lkp_header is None and len(samples.shares) == 2


def test_tables_of_different_commits_and_two_mails_are_refused(tmp_path: Path) -> None:
    text = MAIL.read_text()
    table = text[text.index("=====") : text.index("Disclaimer:")]
    (tmp_path / "two.txt").write_text(f"{text}\n{table.replace('9f9d0b0869', '1111111111')}\n")
    assert "compare different commits" in refused(str(tmp_path / "two.txt"))
    assert "a second mail" in refused(str(MAIL), str(changed(tmp_path, MAIL, "Hello", "Hi")))


def test_one_commit_against_itself_is_refused(tmp_path: Path) -> None:
    assert "both columns are 9f9d0b0869" in refused(str(changed(tmp_path, MAIL, '\nba6149e960 ("', '\n9f9d0b0869 ("')))


def test_tables_of_two_machines_are_not_compared_with_each_other(tmp_path: Path) -> None:
    text = MAIL.read_text()
    table = text[text.index("=====") : text.index("Disclaimer:")]
    other = table.replace("lkp-cpl-4sp2", "lkp-icl-2sp1").replace("307105 +8.4% 332876", "500000 -10.0% 450000")
    (tmp_path / "two.txt").write_text(f"{text}\n\n{other}\n")
    samples = imported(str(tmp_path / "two.txt"))
    found = {
        (f.kernels, round(f.change or 0, 3)) for f in judge_samples(samples, 0.01).findings if f.metric == HEADLINE
    }
    assert found == {((BASE, HEAD), 0.084), ((BASE, HEAD), -0.1)}
    assert one(samples, HEAD, HEADLINE, tbox_group="lkp-icl-2sp1").cpus is None
    assert [{s.name: s.value for s in shares.settings or ()}["tbox_group"] for shares in samples.shares] == [
        "lkp-cpl-4sp2", "lkp-icl-2sp1",
    ]  # fmt: skip


def test_a_table_that_comes_twice_is_refused(tmp_path: Path) -> None:
    text = MAIL.read_text()
    table = text[text.index("=====") : text.index("Disclaimer:")]
    (tmp_path / "twice.txt").write_text(f"{text}\n\n{table}\n")
    assert "the table of " in refused(str(tmp_path / "twice.txt"))


def test_a_remark_between_rows_does_not_hide_the_rows_below_it(tmp_path: Path) -> None:
    row = "\n307105 +8.4% 332876 will-it-scale.per_process_ops"
    mail = changed(tmp_path, MAIL, row, f"\n\nLook at this one:\n{row}")
    assert "line 39: a row below other text" in refused(str(mail))
