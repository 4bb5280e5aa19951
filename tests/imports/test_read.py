# SPDX-License-Identifier: GPL-2.0-only
"""Every format from its file, and what is settled for all of them alike: kernels, base, metric, replication."""

from pathlib import Path

import pytest

from kassay.model.samples import BETTER, SCHEMA, UNITS_OF_REPLICATION
from kassay.tools.imports.gather import gather
from kassay.tools.imports.read import importers, read
from tests.imports.files import DATA, LKP, MAIL, both, imported, one, refused

FILES: dict[str, tuple[str, ...]] = {
    "framework_csv": (str(DATA / "framework.raw.csv"),),
    "google_benchmark": both("google-benchmark", ".json"),
    "libmicro": (str(DATA / "libmicro-6.12.txt"), str(DATA / "libmicro-6.17.txt")),
    "lkp_mail": (str(MAIL),),
    "lkp_result": (str(LKP),),
    "plain_csv": (str(DATA / "plain.csv"),),
    "pyperf": both("pyperf", ".json"),
    "will_it_scale": both("page_fault2_processes", ".txt"),
}
ORDER = {"lkp_result": ("9f9d0b0869", "ba6149e960")}
each = pytest.mark.parametrize("name", FILES)


def test_the_table_above_knows_every_format() -> None:
    assert set(FILES) == set(importers())


@each
def test_a_format_has_the_name_of_its_file_and_alone_recognises_its_files(name: str) -> None:
    known = importers()
    assert known[name].name == name
    for given in gather(FILES[name], known.values()):
        assert [other.name for other in known.values() if other.recognise(given)] == [name]


@each
def test_a_real_file_becomes_series_that_say_what_they_are(name: str) -> None:
    samples, sources = read(FILES[name], name="x", order=ORDER.get(name, ()))
    assert samples.schema == SCHEMA and samples.replication in UNITS_OF_REPLICATION
    labels = [kernel.label for kernel in samples.kernels]
    assert len(labels) >= 2 and {series.kernel for series in samples.series} == set(labels)
    assert any(series.primary for series in samples.series)
    for series in samples.series:
        assert series.definition and series.better in BETTER and series.workload
        assert bool(series.samples) != (series.spread is not None)
    assert {source.name for source in samples.sources} == set(sources)


@pytest.mark.parametrize("name", ["google_benchmark", "libmicro", "pyperf", "will_it_scale"])
def test_one_file_of_one_boot_is_one_sample_and_no_more(name: str) -> None:
    samples = imported(*FILES[name], order=ORDER.get(name, ()))
    assert samples.replication in ("process", "interval")
    assert {len(series.samples) for series in samples.series} == {1}


def test_a_metric_of_ones_own_choice_is_the_primary_one() -> None:
    samples = imported(*FILES["google_benchmark"], metric="cpu_time")
    assert {series.metric for series in samples.series if series.primary} == {"cpu_time"}
    assert "no metric 'cycles'" in refused(*FILES["google_benchmark"], metric="cycles")


def test_the_order_of_kernels_is_as_found_or_as_asked() -> None:
    assert [k.label for k in imported(*FILES["lkp_mail"]).kernels] == ["9f9d0b0869", "ba6149e960"]
    asked = imported(*FILES["plain_csv"], order=("6.17", "6.12"))
    assert [k.label for k in asked.kernels] == ["6.17", "6.12"]
    for order in (("6.17",), ("6.17", "6.12", "6.12"), ("6.17", "6.13")):
        assert "these are: 6.12,6.17" in refused(*FILES["plain_csv"], order=order)


def test_commits_below_one_directory_have_no_order_until_someone_says_it() -> None:
    assert "--kernel-order 9f9d0b0869,ba6149e960" in refused(*FILES["lkp_result"])


@pytest.mark.parametrize("name", ["google_benchmark", "pyperf", "will_it_scale"])
def test_one_kernel_is_no_comparison(name: str) -> None:
    assert "only one kernel: a" in refused(FILES[name][0])


@pytest.mark.parametrize("name", ["google_benchmark", "will_it_scale"])
def test_a_file_that_does_not_name_its_kernel_needs_a_name(name: str) -> None:
    assert "KERNEL=" in refused(*(word.partition("=")[2] for word in FILES[name]))


@pytest.mark.parametrize("name", ["framework_csv", "plain_csv", "lkp_mail"])
def test_a_file_that_names_its_kernels_takes_no_other_name(name: str) -> None:
    assert "leave out 6.12=" in refused(f"6.12={FILES[name][0]}")


def test_two_files_of_one_kernel_are_two_boots_that_nothing_proves() -> None:
    first, second = both("google-benchmark", ".json")
    third = str(DATA / "google-benchmark-aggregates.json")
    samples = imported(f"6.12={first[2:]}", f"6.12={second[2:]}", f"6.17={third}")
    assert samples.replication == "unknown"
    series = next(s for s in samples.series if s.kernel == "6.12" and s.metric == "real_time")
    assert len(series.samples) == 2


def test_files_of_two_formats_are_not_mixed(tmp_path: Path) -> None:
    said = refused(FILES["pyperf"][0], FILES["google_benchmark"][1])
    assert "is pyperf" in said and "is google_benchmark" in said and "one format at a time" in said


def test_an_unknown_format_lists_the_known_ones(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all,\n")
    said = refused(str(file))
    assert "letter.txt: not a format" in said and all(name in said for name in FILES)


def test_two_names_for_one_release_are_remarked() -> None:
    notes = imported(*FILES["pyperf"]).notes
    assert any("a and b are all release 6.18.44" in note for note in notes)
    assert one(imported(*FILES["plain_csv"]), "6.12", "cost").unit == "ns/page"


def test_the_other_kernel_as_the_base_turns_all_figures_of_a_mail() -> None:
    found, turned = imported(str(MAIL)), imported(str(MAIL), order=("ba6149e960", "9f9d0b0869"))
    assert turned.lkp_header is not None and found.lkp_header is not None
    assert turned.lkp_header.base_id == found.lkp_header.head_id
    assert turned.lkp_header.head_subject == found.lkp_header.base_subject
    (shares,), (before,) = turned.shares, found.shares
    assert (shares.base_total, shares.head_total) == (before.head_total, before.base_total)
    assert shares.rows == tuple((name, head, base) for name, base, head in before.rows)
