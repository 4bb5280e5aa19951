# SPDX-License-Identifier: GPL-2.0-only
"""Mails about others' results, from files as they are imported: what rows are of, sources, the command."""

import shlex
from pathlib import Path

from kassay.analysis.imported import judge_samples
from kassay.model.report import Report
from kassay.report.build import build_imported
from kassay.report.formats import format_named
from kassay.report.mail.headline import subject_line
from kassay.tools.imports.read import read
from tests.imports.files import DATA, MAIL, both

LETTER = format_named("mail")


def _report(*words: str, metric: str | None = None, order: tuple[str, ...] = ()) -> Report:
    samples, _ = read(words, name="x", metric=metric, order=order)
    judged = judge_samples(samples, 0.02)
    return build_imported(samples, judged.findings, judged.ladders, judged.families, directory="d", plan_id="p",
                          margin=0.02)  # fmt: skip


def _plain(tmp_path: Path, *rows: str) -> Report:
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(("kernel,metric,value,unit,workload,size", *rows)) + "\n")
    return _report(str(path))


def _block(report: Report, title: str) -> str:
    return " ".join(LETTER.render(report).partition(title)[2].partition("\n\n")[2].partition("\n\n")[0].split())


def test_imported_rows_name_benchmark_and_setting(tmp_path: Path) -> None:
    report = _plain(tmp_path, *(f"{kernel},cost,{value},ns,{work},{size}" for work in ("read", "write")
                                for size in (1, 2) for kernel, value in (("old", 10), ("new", 12))))  # fmt: skip
    text = LETTER.render(report)
    assert "The figures as they were reported, cost, in ns (n = 1 and 1):" in text
    for row in ("read, size=1", "read, size=2", "write, size=1", "write, size=2"):
        assert f"  {row} " in text.replace("(", " ")
    assert "\n  comparison     old  new  change\n" in text and "1: " not in text


def test_three_kernels_have_a_table_for_each_two_and_figures_under_their_own_names(tmp_path: Path) -> None:
    report = _plain(tmp_path, "a,cost,10,ns,w,1", "b,cost,20,ns,w,1", "c,cost,40,ns,w,1")
    text = LETTER.render(report)
    for pair, head, row in (("b against a", "a   b", "10  20"), ("c against b", "b   c", "20  40"),
                            ("c against a", "a   c", "10  40")):  # fmt: skip
        table = text.partition(f"reported, in ns, {pair} (n = 1 and 1):")[2]
        assert head in table.split("\n")[2] and row in table.split("\n")[3]


def test_the_first_sentence_has_the_number_of_values_also_where_there_is_no_interval(tmp_path: Path) -> None:
    report = _plain(tmp_path, "a,cost,10,ns,w,1", "a,cost,11,ns,w,1", "b,cost,20,ns,w,1")
    assert "(2 and 1 values)" in " ".join(LETTER.render(report).split())
    assert subject_line(report).endswith("as reported, not decided")


def test_long_names_of_kernels_are_letters_in_the_table_with_a_legend(tmp_path: Path) -> None:
    report = _plain(tmp_path, "linux-next-20251010-a,cost,10,ns,w,1", "linux-next-20251011-b,cost,20,ns,w,1")
    text = LETTER.render(report)
    assert "\n  metric   A   B   change\n" in text
    assert "\nA: linux-next-20251010-a; B: linux-next-20251011-b.\n" in text


def test_what_judges_the_files_again_is_the_command_that_read_them() -> None:
    words = both("pyperf", ".json")
    report = _report(*words, order=("b", "a"))
    block = LETTER.render(report).partition("To judge the same files again:\n\n")[2].partition("\n\n")[0]
    lines = block.replace(" \\\n", " ").strip().splitlines()
    assert shlex.split(lines[0]) == ["kassay", "import", *words, "--kernel-order", "b,a", "--out", "d-again"]
    assert shlex.split(lines[1]) == ["kassay", "report", "d-again"]
    assert "To reproduce" not in LETTER.render(report)


def test_the_state_of_memory_is_said_once_to_be_unknown() -> None:
    text = " ".join(LETTER.render(_report(*both("pyperf", ".json"))).split())
    assert "- The state of memory on which the kernels worked is unknown: the files say neither which" in text


def test_each_kernel_is_named_by_its_own_file() -> None:
    report = _report(*both("google-benchmark", ".json"))
    assert [kernel.source for kernel in report.kernels] == [
        "as named by whoever imported google-benchmark-a.json; not verified",
        "as named by whoever imported google-benchmark-b.json; not verified",
    ]
    assert "as named by libmicro-6.12.txt" in _report(
        str(DATA / "libmicro-6.12.txt"), str(DATA / "libmicro-6.17.txt")
    ).kernels[0].source  # fmt: skip


def test_sources_stand_in_one_place_and_limits_hold_limits_only() -> None:
    text = LETTER.render(_report(str(MAIL)))
    assert text.count("lkp-mail.txt (LKP mail, sha256 ") == 1 and "Read from" not in text
    origin = text.partition("Where the figures come from:")[2].partition("To judge")[0]
    assert "cycles" in origin.lower() and "separate boots" in origin
    limits = text.partition("What this does not show:")[2].partition("What was measured:")[0]
    assert "separate boots" not in limits and "sha256" not in limits and "page state" in limits


def test_computed_change_has_three_digits_and_no_claim() -> None:
    text = LETTER.render(_report(str(MAIL)))
    reported, _, computed = text.partition("Computed from them, to three digits, in cycles per op:")
    assert "cycles per op " not in reported.partition("The figures as they were reported")[2]
    assert "13,300      12,400   -7.3%" in computed
    assert ["copy_page", "2,680", "3,090", "+413"] in [line.split() for line in computed.splitlines()]
    assert "not told" not in text and "What the figures rest on" not in text


def test_first_sentence_compares_two_of_several_kernels(tmp_path: Path) -> None:
    report = _plain(tmp_path, "a,cost,10,ns,w,1", "b,cost,20,ns,w,1", "c,cost,40,ns,w,1")
    text = " ".join(LETTER.render(report).split())
    assert "cost of w is 20 ns on b and 10 on a, a change of +100.0% (1 and 1 values)" in text
    assert "no two of the kernels can be compared" not in text


def test_a_benchmark_is_named_once_and_a_kernel_keeps_its_small_letter() -> None:
    report = _report(f"x={DATA / 'pyperf-a.json'}", f"y={DATA / 'pyperf-b.json'}")
    assert "(touch_64KiB)" not in subject_line(report) and "(touch_64KiB)" not in LETTER.render(report)
    assert "- x and y are all release" in LETTER.render(report)
