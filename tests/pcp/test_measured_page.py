# SPDX-License-Identifier: GPL-2.0-only
"""The page of what was measured on real kernels: the lock's work and each kernel's lists."""

import pytest
from msgspec.structs import replace

from kassay.labs.pcp.model.measured import ListSample, ListState, PcpMeasured, PcpRow, ZoneCounts
from kassay.labs.pcp.report.measured import MEASURED
from kassay.model.records import Setting

pytestmark = pytest.mark.slow  # seconds for the whole file

COUNTS = ZoneCounts(
    instructions=1, allocated=2000, freed=2000, refills=20, refilled=1200, direct=0, drains=10, drained=600,
    drains_by={}, returned=0, acquisitions=30, decays=0, pages=2000, handovers=4,
)  # fmt: skip


def row(kernel: str, policy: str, counts: ZoneCounts | None = COUNTS, problem: str = "") -> PcpRow:
    lists = [
        (
            ListState(zone="DMA", cpu=0, count=9, high=9, batch=1),
            ListState(zone="DMA32", cpu=0, count=n, high=500, batch=63),
        )
        for n in (10, 320)
    ]
    return PcpRow(
        kernel=kernel, release=kernel, policy=policy, workload="page_fault",
        settings=(Setting(name="size", value="4MiB"),), phase="fault", operation="page", operations=1, rounds=2, runs=1,
        alike=True, problem=problem, counts=counts,
        samples=tuple(ListSample(time_ns=at * 10**9, lists=one, free={}) for at, one in enumerate(lists)),
    )  # fmt: skip


def page(*rows: PcpRow) -> str:
    answer = PcpMeasured(kassay_version="0", machine="x86_64", cpus=1, memory_bytes=1 << 30, rows=rows, directory="d")
    return MEASURED.form("html").render(answer)


def test_every_kernel_and_policy_has_its_bar_and_its_lists() -> None:
    text = page(row("debian:6.1", "fixed"), row("debian:6.12", "auto"))
    assert "6.1 fixed, CPU 0" in text and "6.12 auto, CPU 0" in text
    assert text.count("15 (4 handed over)") == 2  # acquisitions for 1000 blocks


def test_the_zone_with_the_longest_lists_is_drawn() -> None:
    assert ">500<" in page(row("debian:6.12", "auto"))


def test_lists_that_hardly_changed_have_no_chart() -> None:
    flat = row("debian:6.12", "auto")
    assert "CPU 0" not in page(replace(flat, samples=flat.samples[:1] * 3))


def test_counts_that_may_not_be_used_have_no_bar() -> None:
    text = page(row("debian:6.1", "fixed", problem="runs differ"), row("debian:6.12", "auto", counts=None))
    assert "handed over" not in text


def test_names_are_no_markup() -> None:
    assert "<script" not in page(row("<script>", "auto"))
