# SPDX-License-Identifier: GPL-2.0-only
"""Samples of a file that takes the guest several reads: no line is lost or broken, and one too long ends the run."""

from pathlib import Path

import pytest

from kassay.labs.pcp import list_samples
from kassay.supply.guest import compile
from tests.guest.native import Ran, run

LIST = "    cpu: {}\n              count:    {}\n              high:     {}\n              batch:    63\n"


def zoneinfo(cpus: int) -> str:
    zones = ("DMA", "DMA32", "Normal")
    lists = {zone: "".join(LIST.format(cpu, 1000 + cpu, 40_000 + cpu) for cpu in range(cpus)) for zone in zones}
    return "".join(f"Node 0, zone {zone:>8}\n  pages free     3840\n  pagesets\n{text}" for zone, text in lists.items())


def sampled(directory: Path, text: str, rounds: int = 2) -> Ran:
    (directory / "zoneinfo").write_text(text)
    program = compile.build("calibrate", "x86_64")
    return run(program, "iterations=5", "syscalls=5", "--sampled", str(directory / "zoneinfo"), rounds=rounds)


@pytest.mark.parametrize("cpus", [1, 40, 64, 128])
def test_lines_across_two_reads_are_whole(tmp_path: Path, cpus: int) -> None:
    text = zoneinfo(cpus)
    report = sampled(tmp_path, text).report
    assert report is not None
    _, *samples = list_samples.samples(report)
    assert [sample.lists for sample in samples] == [list_samples.lists(text)] * 2
    assert len(samples[0].lists) == 3 * cpus


def test_a_file_that_does_not_end_within_the_reads_ends_the_run(tmp_path: Path) -> None:
    text = zoneinfo(250)
    assert len(text) > 7 * 8192
    assert sampled(tmp_path, text).refusal == (f"guest-error: {tmp_path}/zoneinfo does not end within 8 reads of 8 KiB")


def test_samples_that_do_not_fit_the_stream_end_the_run(tmp_path: Path) -> None:
    assert sampled(tmp_path, zoneinfo(128), 400).refusal == (
        "guest-error: the samples of 400 rounds take more than 8 MiB"
    )
