# SPDX-License-Identifier: GPL-2.0-only
"""kernel,metric,value and what may stand beside them; every malformed row is refused with its line."""

from pathlib import Path

import pytest

from kassay.analysis.imported import session_of
from tests.imports.files import DATA, imported, one, refused, values

HEAD = "kernel,metric,value"
TWO = "a,m,1\nb,m,2\n"


def csv(tmp_path: Path, text: str) -> str:
    file = tmp_path / "x.csv"
    file.write_text(text)
    return str(file)


def test_every_column_arrives_and_any_other_column_is_a_setting() -> None:
    samples = imported(str(DATA / "plain.csv"))
    base = one(samples, "6.12", "cost", size="16MiB")
    assert (base.unit, base.better, base.workload, base.primary) == ("ns/page", "lower", "mprotect_toggle", True)
    assert values(base) == [301.6, 302.2, None]
    assert [sample.block for sample in base.samples] == [1, 2, 3]
    assert (base.samples[2].detail, base.samples[0].run) == ("failed", "a1")
    assert samples.replication == "boot"


def test_three_columns_are_enough_and_the_rest_is_unknown(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, f"{HEAD}\n{TWO}"))
    base = one(samples, "a", "m")
    assert (base.unit, base.better, base.settings, samples.replication) == ("", "unknown", (), "unknown")
    assert any("order of the boots is unknown" in note for note in samples.notes)


def test_unsupported_is_absent_and_not_failed(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, f"{HEAD},status\na,m,1,ok\nb,m,2,\nb,n,,unsupported\n"))
    assert {series.metric for series in samples.series} == {"m"}
    assert any("1 rows are marked unsupported" in note for note in samples.notes)


def test_equal_values_of_a_coarse_clock_are_not_duplicates(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, f"{HEAD}\na,m,4\na,m,4\nb,m,4\n"))
    assert values(one(samples, "a", "m")) == [4.0, 4.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}\na,m,1\nb,m,x\n", "line 3: 'x' is not a finite decimal number"),
        (f"{HEAD}\na,m,nan\nb,m,1\n", "line 2: 'nan' is not a finite"),
        (f"{HEAD}\na,m,inf\nb,m,1\n", "line 2: 'inf' is not a finite"),
        (f"{HEAD}\na,m,1e999\nb,m,1\n", "line 2: '1e999' is not a finite"),
        (f"{HEAD}\na,m,1_0\nb,m,1\n", "line 2: '1_0' is not a finite"),
        (f"{HEAD}\na,m,١\nb,m,1\n", "line 2: '١' is not a finite"),
        (f"{HEAD}\na,m,-1\nb,m,1\n", "line 2: -1 is negative"),
        (f"{HEAD}\na,m,\nb,m,1\n", "line 2: no value"),
        (f"{HEAD}\na,m\nb,m,1\n", "line 2: 2 cells, the header has 3"),
        (f"{HEAD}\na,m,1\nb,m,1,5\n", "line 3: 4 cells, the header has 3"),
        (f"{HEAD}\n,m,1\nb,m,1\n", "line 2: no kernel"),
        (f"{HEAD}\na,,1\nb,m,1\n", "line 2: no metric"),
        (f"{HEAD}\n", "no rows below the header"),
        (f"{HEAD},kernel\na,m,1,a\n", "line 1: two columns named 'kernel'"),
        (f"{HEAD},unit\na,m,1,ns\nb,m,1,us\n", "line 3: m has unit 'us', but 'ns' at"),
        (f"{HEAD},better\na,m,1,lower\nb,m,1,higher\n", "line 3: m has better 'higher', but 'lower' at"),
        (f"{HEAD},better\na,m,1,smaller\nb,m,1,lower\n", "line 2: better is 'smaller'"),
        (f"{HEAD},block\na,m,1,first\nb,m,1,1\n", "line 2: block: 'first' is not a whole number"),
        (f"{HEAD},status\na,m,1,crashed\nb,m,1,ok\n", "line 2: status is 'crashed'"),
        (f"{HEAD},run\na,m,1,r1\na,m,2,r1\nb,m,1,r2\n", "line 3: repeats run r1 of"),
        (f'{HEAD}\na,m,"1\nb,m,1\n', "unexpected end of data"),
        (f"{HEAD}\na,m,1\na,m,2\n", "only one kernel: a"),
        (f"{HEAD}\na,m,1\0\nb,m,1\n", "line 2: a zero byte"),
    ],
)
def test_a_malformed_row_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(csv(tmp_path, text))


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes(f"{HEAD}\na,m,1\n".encode() + b"b\xff,m,1\n")
    assert "x.csv: line 3: not UTF-8" in refused(str(file))


def test_values_of_a_refused_comparison_are_left_out_and_named(tmp_path: Path) -> None:
    rows = "a,m,1,\nb,m,2,different-work\nb,m,3,different-work\n"
    samples = imported(csv(tmp_path, f"{HEAD},refused\n{rows}a,n,3,\nb,n,4,\n"))
    assert sorted((series.metric, len(series.samples)) for series in samples.series) == [("m", 1), ("n", 1), ("n", 1)]
    assert any("2 rows belong to comparisons that were refused" in note and "(different-work)" in note
               for note in samples.notes)  # fmt: skip


def test_a_file_in_which_every_comparison_was_refused_says_so(tmp_path: Path) -> None:
    rows = "a,m,1,\nb,m,2,different-work\n"
    assert "every comparison in it was refused where it was measured (different-work)" in refused(
        csv(tmp_path, f"{HEAD},refused\n{rows}")
    )


def test_a_run_that_failed_in_a_file_of_kassay_is_a_failed_run(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, f"{HEAD},kind\na,m,1,plain\nb,m,2,plain\nb,m,,failed\n"))
    assert [s.detail for series in samples.series for s in series.samples] == ["", "", "failed"]
    assert {s.settings for s in samples.series} == {()}


OWN = (
    "workload,settings,arch,clock,cpus,memory_bytes,metric,unit,better,"
    "primary,kernel,kind,run,block,value,spread,refused"
)


def own(*cells: str) -> str:
    """A file as `kassay report --format csv` writes it. cells: metric, then everything from primary to spread."""
    rows = (text.split(",") for text in cells)
    return f"{OWN}\n" + "".join(
        f"w,,x86_64,kvm,1,1024,{metric},ns,lower,{','.join(others)},\n" for metric, *others in rows
    )


def test_failed_runs_of_a_file_of_kassay_stand_with_the_others(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, own(
        "n,no,a,plain,1,0,1,", "m,yes,a,plain,1,0,10,", "m,yes,b,plain,1,0,11,", "m,yes,b,failed,1,,,",
    )))  # fmt: skip
    head = one(samples, "b", "m")
    assert (values(head), [sample.block for sample in head.samples]) == ([11.0, None], [0, None])
    assert [item.name for item in head.settings] == ["arch", "memory_bytes"]
    assert (head.primary, one(samples, "a", "n").primary, head.cpus) == (True, False, 1)
    assert (samples.replication, samples.machine) == ("boot", "kassay's, clock kvm")
    assert session_of(samples).blocks and not any("order of the boots" in note for note in samples.notes)


def test_a_mean_in_a_file_of_kassay_is_one_with_its_spread(tmp_path: Path) -> None:
    samples = imported(csv(tmp_path, own("m,yes,a,mean,,,100,0.02", "m,yes,b,mean,,,110,")))
    spreads = [one(samples, kernel, "m").spread for kernel in ("a", "b")]
    assert [(spread.mean, spread.deviation, spread.n) for spread in spreads if spread] == [
        (100.0, 0.02, None), (110.0, None, None),
    ]  # fmt: skip
    assert [len(series.samples) for series in samples.series] == [0, 0]


def test_perturbed_runs_and_other_clocks_are_apart(tmp_path: Path) -> None:
    text = own("m,yes,a,plain,1,0,1,", "m,yes,b,plain,1,0,2,", "m,yes,a,perturbed,1,,3,", "m,yes,b,perturbed,1,,4,")
    assert values(one(imported(csv(tmp_path, text)), "a", "m", kind="perturbed")) == [3.0]
    other = own("m,yes,a,plain,1,0,5,").partition("\n")[2].replace("kvm", "icount")
    assert values(one(imported(csv(tmp_path, text + other)), "a", "m", clock="icount")) == [5.0]


def test_columns_of_other_files_with_such_names_are_settings(tmp_path: Path) -> None:
    text = f"{HEAD},kind,clock\na,m,1,anon,x\nb,m,2,anon,x\n"
    assert values(one(imported(csv(tmp_path, text)), "a", "m", kind="anon", clock="x")) == [1.0]
