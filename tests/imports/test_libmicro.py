# SPDX-License-Identifier: GPL-2.0-only
"""libMicro's output: one line a test, settings from its columns, failed calls as an outcome."""

from pathlib import Path

import pytest

from tests.imports.files import DATA, changed, imported, one, refused, values

FILE = DATA / "libmicro-6.12.txt"
OTHER = str(DATA / "libmicro-6.17.txt")
ROW = "mprot_tw4m   1   1     64.00000        27310        0        1  4194304"


def test_the_scripts_header_names_the_kernel_and_the_columns_are_settings() -> None:
    samples = imported(str(FILE), OTHER)
    assert [(k.label, k.arch) for k in samples.kernels] == [("6.12.94", "x86_64"), ("6.17.8", "x86_64")]
    series = one(samples, "6.12.94", "time_per_call", size="4194304", threads="1", calls_per_sample="1")
    assert (series.workload, series.unit, series.better, values(series)) == ("mprot_tw4m", "us/call", "lower", [64.0])
    assert series.definition.startswith("median over the samples")
    assert samples.sources[0].format == "libMicro 0.4.3"
    assert samples.machine == "example, Example Processor 2.70GHz, 2700Mhz"


def test_output_of_one_program_without_the_scripts_header_needs_a_name(tmp_path: Path) -> None:
    bare = tmp_path / "bare.txt"
    bare.write_text("".join(line for line in FILE.read_text().splitlines(keepends=True) if not line.startswith("!")))
    assert "does not tell which kernel" in refused(str(bare), OTHER)
    assert imported(f"6.12={bare}", OTHER).kernels[0].label == "6.12"


def test_means_are_called_means(tmp_path: Path) -> None:
    asked = changed(tmp_path, FILE, "-w -t -B 1 -f /dev/zero", "-w -t -M -B 1 -f /dev/zero")
    series = one(imported(str(asked), OTHER), "6.12.94", "time_per_call", size="4194304")
    assert series.definition.startswith("mean over the samples")


def test_a_test_that_ran_twice_in_one_file_is_one_sample(tmp_path: Path) -> None:
    again = changed(tmp_path, FILE, ROW, f"{ROW}\n{ROW.replace('64.00000', '66.00000')}")
    series = one(imported(str(again), OTHER), "6.12.94", "time_per_call", size="4194304")
    assert (values(series), series.samples[0].inner) == ([65.0], (64.0, 66.0))


def test_calls_that_failed_are_an_outcome(tmp_path: Path) -> None:
    failed = changed(tmp_path, FILE, ROW, ROW.replace("27310        0", "27310        3"))
    series = one(imported(str(failed), OTHER), "6.12.94", "time_per_call", size="4194304")
    assert values(series) == [None] and "calls failed" in series.samples[0].detail


def test_another_batch_size_is_another_setting(tmp_path: Path) -> None:
    other = changed(tmp_path, FILE, ROW, ROW.replace("       1  4194304", "      10  4194304"))
    assert one(imported(str(other), OTHER), "6.12.94", "time_per_call", size="4194304", calls_per_sample="10")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("64.00000", "nan", "line 52: 'nan' is not a finite decimal number"),
        ("64.00000", "-64.00000", "line 52: -64 is negative"),
        ("64.00000", "fast", "line 52: 'fast' is not"),
        ("27310        0", "27310        x", "line 52: 'x' is not a whole number"),
        ("        1  4194304", "        1", "line 52: 7 words, expected 8"),
        (f"{ROW}\n", "", "column names without a result below"),
    ],
)
def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refused(str(changed(tmp_path, FILE, old, new)), OTHER)


def test_a_header_without_results_is_refused(tmp_path: Path) -> None:
    text = FILE.read_text()
    cut = tmp_path / "cut.txt"
    cut.write_text(text[: text.index("getpid   1")])
    assert "column names without a result below" in refused(str(cut), OTHER)


@pytest.mark.parametrize("digits", [1, 6, 7])
def test_a_file_that_ends_inside_a_line_is_refused(tmp_path: Path, digits: int) -> None:
    """A size that is cut is another size, without values on the other kernel."""
    text = FILE.read_text()
    cut = tmp_path / "cut.txt"
    cut.write_text(text[: text.rindex("4194304") + digits])
    assert "the file ends inside this line" in refused(str(cut), OTHER)
