# SPDX-License-Identifier: GPL-2.0-only
"""The robot's table: the same figures give the same bytes, in the same order; n is added."""

import math
import random
import re
from pathlib import Path

from msgspec.structs import replace

from kassay.report.formats.lkp import render
from kassay.report.lkp_table import Head, LkpRow, Mean, line, ordered, row, table
from tests.report.reports import KERNELS, SAMPLES

_TABLE = Path(__file__).parents[1] / "data" / "lkp" / "page_fault2.txt"
_ROW = re.compile(r"(\S+)(?: ±\s*(\d+)%)? ([+-][\d.e+]+)%? (\S+?)(?: ±\s*(\d+)%)? (\S+)")
_KERNELS = (
    ("9f9d0b08696fb316", '9f9d0b0869 ("mm: add framework for PCP high auto-tuning")'),
    ("ba6149e96007edcdb01284c1531", 'ba6149e960 ("mm: tune PCP high automatically")'),
)
_AXES = (
    ("compiler", "gcc-12"), ("cpufreq_governor", "performance"), ("kconfig", "x86_64-rhel-8.3"), ("mode", "process"),
    ("nr_task", "16"), ("rootfs", "debian-11.1-x86_64-20220510.cgz"), ("tbox_group", "lkp-cpl-4sp2"),
    ("test", "page_fault2"), ("testcase", "will-it-scale"),
)  # fmt: skip


def _printed() -> list[str]:
    return [text for text in _TABLE.read_text(encoding="utf-8").splitlines() if not text.startswith("#")]


def _rows() -> list[LkpRow]:
    return [_row(text) for text in _printed() if _ROW.fullmatch(text)]


def _row(text: str) -> LkpRow:
    """A printed row as numbers; a spread of 3 % stands for one of at least 3 and less than 4 %."""
    match = _ROW.fullmatch(text)
    assert match is not None
    value, spread, change, head, head_spread, key = match.groups()
    means = [
        Mean(value=float(v), deviation=(float(s) + 0.5) / 100 if s else None)
        for v, s in ((value, spread), (head, head_spread))
    ]
    return LkpRow(key=key, base=means[0], heads=(means[1],), changes=(float(change),))


def _squeezed(text: str) -> str:
    return re.sub(r"± +", "± ", re.sub(r"[ \t]+", " ", text)).strip()


def test_the_robots_own_table_comes_out_byte_for_byte() -> None:
    rows = _rows()
    assert len(rows) == 258
    written = table(Head(axes=_AXES, kernels=_KERNELS), ordered(rows)).splitlines()
    assert [_squeezed(text) for text in written if text.strip()] == [_squeezed(text) for text in _printed()]


def test_the_order_does_not_depend_on_the_order_given() -> None:
    rows = _rows()
    shuffled = random.Random(7).sample(rows, len(rows))
    # Rows of a profile whose printed changes are equal cannot be told apart by what is printed.
    place = [(one.key.split(".")[:2], one.changes) if "profile" in one.key else one.key for one in rows]
    again = [(one.key.split(".")[:2], one.changes) if "profile" in one.key else one.key for one in ordered(shuffled)]
    assert again == place


def _allowed(text: float) -> tuple[float, float]:
    """Range of a mean before it was printed."""
    if abs(text) > 1e8:
        half = 0.5 * 10 ** (math.floor(math.log10(text)) - 3)
        return text - half, text + half
    return (text - 0.005, text + 0.005) if abs(text) < 1000 else (text, text + 1)


def test_printed_changes_match_printed_means() -> None:
    for one in _rows():
        assert one.base.value is not None and one.heads[0].value is not None and one.changes[0] is not None
        pairs = [
            (Mean(value=b), (Mean(value=h),)) for b in _allowed(one.base.value) for h in _allowed(one.heads[0].value)
        ]
        computed = [change for b, h in pairs if (change := row(one.key, b, h).changes[0]) is not None]
        assert min(computed) - 0.051 <= one.changes[0] <= max(computed) + 0.051, one.key


def test_a_row_has_the_robots_columns() -> None:
    base, head = 307105.0, 332876.0
    text = line(row("will-it-scale.per_process_ops", Mean(value=base), (Mean(value=head),)), (None, None))
    assert text == "    307105            +8.4%     332876        will-it-scale.per_process_ops"


def test_figures_are_written_as_the_robot_writes_them() -> None:
    for value, text in (
        (999.99, "999.99"),
        (1000.4, "1000"),
        (1e8, "100000000"),
        (1.488e9, "1.488e+09"),
        (0.0, "0.00"),
    ):
        assert line(row("k", Mean(value=value), ()), (None,)) == f"{text:>10}        k"


def test_a_spread_is_cut_off_and_shown_above_two_percent_only() -> None:
    for deviation, text in (
        (0.02, "      "),
        (0.0201, " ±  2%"),
        (0.0299, " ±  2%"),
        (1.419, " ±141%"),
        (None, "      "),
    ):
        assert line(row("k", Mean(value=1.0, deviation=deviation), ()), (None,)) == f"      1.00{text}  k"


def test_a_share_changes_by_a_difference_and_a_figure_that_was_zero_by_no_ratio() -> None:
    zero, some = Mean(value=0.0), Mean(value=3.37)
    assert row("perf-profile.self.x", zero, (some,)).changes == (3.37,)
    assert row("meminfo.x", zero, (some,)).changes == (None,)
    assert " - " in line(row("meminfo.x", zero, (some,)), (None, None))


def test_n_stands_under_the_ids_and_beside_each_row_that_differs() -> None:
    rows = [row(key, Mean(value=1.0, n=n), (Mean(value=2.0, n=6),)) for key, n in (("a.b", 6), ("a.c", 6), ("a.d", 5))]
    lines = table(Head(axes=(), kernels=(("x", "x"), ("y", "y"))), rows).splitlines()
    assert lines[lines.index("---------------- --------------------------- ") + 1].split() == ["n=6", "n=6"]
    assert [text.partition("a.")[2] for text in lines[-3:]] == ["b", "c", "d  (n=5, 6)"]


def test_where_n_is_not_known_nothing_is_said_of_it() -> None:
    assert "n=" not in render(SAMPLES["robot"]())
    rows = [row(key, Mean(value=1.0, n=n), (Mean(value=2.0, n=n),)) for key, n in (("a.b", 6), ("a.c", None))]
    lines = table(Head(axes=(), kernels=(("x", "x"), ("y", "y"))), rows).splitlines()
    assert [text.split()[-2:] for text in lines if "n=" in text] == [["a.b", "(n=6)"]]


def test_a_robots_mail_comes_back_under_its_own_keys_and_ids() -> None:
    text = render(SAMPLES["robot"]())
    assert "    307105            +8.4%     332876        will-it-scale.per_process_ops\n" in text
    assert "    213121 ±  5%     -19.5%     171478 ±  7%  meminfo.DirectMap4k\n" in text
    assert "   2535424 ±  2%      +6.2%    2693888 ± 29%  proc-vmstat.unevictable_pgs_scanned\n" in text
    assert "     20.10 ±  3%      +4.9       25.02        perf-profile.self.cycles-pp.copy_page\n" in text
    assert "9f9d0b08696fb316 ba6149e96007edcdb01284c1531 \n" in text


def test_own_runs_have_their_metrics_first_and_each_functions_share_of_the_cost() -> None:
    lines = render(SAMPLES["compare"]()).splitlines()
    first = lines.index("             \\          |                \\  ") + 1
    assert lines[first] == "    301.60          +123.0%     672.60        mprotect.iteration"
    shares = {text.split()[-2]: text.split()[:3] for text in lines[first + 1 :] if "perf-profile" in text}
    assert shares["perf-profile.self.instructions.prot_commit_flush_ptes"] == ["0.00", "+48.8", "48.77"]
    assert all(text.endswith("(n=1)") for text in lines[first + 1 :] if "perf-profile" in text)


def _keyed(sample: str) -> dict[str, list[str]]:
    """Rows of the kernels' own counters: key -> figures and changes, and what stands behind the key."""
    words = (text.split() for text in render(SAMPLES[sample]()).splitlines() if "perf-profile" not in text)
    rows = ([word for word in row if "." in word or word in ("-", "0") or word[0].isdigit()] for row in words)
    return {next(word for word in row if word[0].isalpha()): row for row in rows if any(w[0].isalpha() for w in row)}


def test_counters_of_the_kernels_are_rows_under_the_robots_keys() -> None:
    found = _keyed("compare")
    assert found["proc-vmstat.pgfault"] == ["40960", "+0.2%", "41042", "proc-vmstat.pgfault"]
    assert found["schedstat.cpu0.ran"][:3] == ["2e+09", "+5.0%", "2.1e+09"]
    assert found["ipi.tlb_shootdown"][:3] == ["12.00", "+0.0%", "12.00"]
    assert found["meminfo.Active(anon)"][:3] == ["180.00", "+28460.0%", "51408"]
    assert found["pcp.0.DMA32.0.high"][:3] == ["13860", "+118.2%", "30245"]


def test_a_counter_that_a_kernel_does_not_have_is_not_zero() -> None:
    assert _keyed("compare")["proc-vmstat.nr_tlb_remote_flush"][:3] == ["-", "-", "163840"]


def test_levels_that_are_the_same_and_run_times_of_tasks_have_no_row() -> None:
    text = render(SAMPLES["compare"]())
    assert "MemTotal" not in text and "kworker" not in text


def test_counters_of_a_ladder_have_a_column_for_each_kernel() -> None:
    assert _keyed("ladder")["proc-vmstat.pgfault"][:9] == ["40960", *["+0.2%", "41042"] * 4]


def test_a_comparison_refused_though_both_were_measured_has_no_row_of_any_kind() -> None:
    report = SAMPLES["compare"]()
    found = tuple(replace(one, verdict="state-mismatch") for one in report.findings)
    text = render(replace(report, findings=found))
    assert "mprotect.iteration" not in text and "proc-vmstat" not in text and "perf-profile" not in text


def test_kernels_behind_a_refused_step_have_no_figures() -> None:
    report = SAMPLES["ladder"]()
    found = tuple(
        replace(f, verdict="state-mismatch", change=None) if f.kernels == KERNELS[1:3] else f for f in report.findings
    )
    lines = render(replace(report, findings=found)).splitlines()
    own, counter = (next(line for line in lines if key in line) for key in ("mprotect.iteration", "pgfault"))
    assert own.split()[:9] == ["301.60", "+0.0%", "301.60", *["-"] * 6]
    assert counter.split()[:9] == ["40960", "+0.2%", "41042", *["-"] * 6]


def test_each_further_kernel_of_a_ladder_is_compared_with_the_first() -> None:
    text = next(one for one in render(SAMPLES["ladder"]()).splitlines() if one.endswith("mprotect.iteration"))
    assert text.split()[:9] == [
        "301.60",
        "+0.0%",
        "301.60",
        "+123.0%",
        "672.60",
        "+131.7%",
        "698.80",
        "+133.1%",
        "703.00",
    ]


def test_a_kernel_without_a_value_has_none_in_its_row() -> None:
    text = next(one for one in render(SAMPLES["one_side_missing"]()).splitlines() if "mprotect.iteration" in one)
    assert text.split()[:3] == ["301.60", "-", "-"]


def test_a_refused_comparison_has_no_row_and_says_why() -> None:
    text = render(SAMPLES["refused"]())
    assert "mprotect.iteration" not in text and "state-mismatch" in text


def test_a_function_that_vanished_is_shown_however_small_it_was() -> None:
    report = SAMPLES["compare"]()
    found = report.findings[0].attribution
    assert found is not None
    gone = replace(found.rows[0], function="gone", base=3.0, head=0.0, delta=-3.0)
    one = replace(report.findings[0], attribution=replace(found, rows=(*found.rows, gone)))
    assert ".gone" in render(replace(report, findings=(one,)))


def test_columns_whose_cut_names_are_equal_have_their_places() -> None:
    rows = (row("w.m", Mean(value=1.0, n=2), (Mean(value=2.0, n=2), Mean(value=3.0, n=2))),)
    names = [f"build:/home/me/linux@v6.17+{name}.patch" for name in ("fast", "slow")]
    written = table(Head(axes=(), kernels=tuple((name, name) for name in (*names, "debian:6.17"))), rows)
    assert written.splitlines()[5].split() == ["build:/home/m~1", "build:/home/me/linux@v6.~2", "debian:6.17"]
