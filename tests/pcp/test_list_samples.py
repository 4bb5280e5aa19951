# SPDX-License-Identifier: GPL-2.0-only
"""Samples of /proc/zoneinfo: the lists of each CPU and zone, in order of time, of old and new kernels."""

from kassay.labs.pcp import list_samples
from kassay.labs.pcp.model.measured import ListState
from kassay.model.guest import CapturedFile, GuestReport

OLD = """\
Node 0, zone      DMA
  pages free     3840
    cpu: 0
              count: 0
              high:  18
              batch: 1
Node 0, zone    DMA32
  pages free     244000
        managed  251000
    cpu: 0
              count: 481
              high:  1217
              batch: 63
    cpu: 1
              count: 7
              high:  1217
              batch: 63
Node 1, zone   Normal
  pages free     12
    cpu: 0
              count: 3
"""
NEW = """\
Node 0, zone    DMA32
    cpu: 0
              count:    2056
              high:     4521
              batch:    63
              high_min: 1215
              high_max: 30052
"""


def report(text: str | None, ticks_per_second: int | None = None) -> GuestReport:
    file = CapturedFile(moment="after", path=list_samples.SAMPLES, content=text)
    return GuestReport(workload="w", clock="tsc", ticks_per_second=ticks_per_second, overhead_ticks=0, phases=(),
                       requirements=(), files=(file,) if text is not None else (), check="ok")  # fmt: skip


def test_a_list_has_its_zone_and_cpu_and_one_that_is_cut_short_is_left_out() -> None:
    assert list_samples.lists(OLD) == (
        ListState(zone="DMA", cpu=0, count=0, high=18, batch=1),
        ListState(zone="DMA32", cpu=0, count=481, high=1217, batch=63),
        ListState(zone="DMA32", cpu=1, count=7, high=1217, batch=63),
    )
    assert list_samples.managed(OLD) == {"DMA32": 251000}


def test_newer_kernels_print_the_limits_of_high_as_well() -> None:
    assert list_samples.lists(NEW) == (
        ListState(zone="DMA32", cpu=0, count=2056, high=4521, batch=63, high_min=1215, high_max=30052),
    )


def test_samples_are_in_order_with_the_time_of_their_rounds() -> None:
    found = list_samples.samples(report(f"sample 500\n{OLD}sample 1500\n{NEW}", ticks_per_second=2_000_000_000))
    assert [one.time_ns for one in found] == [250, 750]
    assert found[0].free == {"DMA": 3840, "DMA32": 244000, "Normal1": 12}
    assert found[1].lists == list_samples.lists(NEW)


def test_a_run_that_did_not_sample_has_none() -> None:
    assert list_samples.samples(report(None)) == ()
