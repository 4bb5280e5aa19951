# SPDX-License-Identifier: GPL-2.0-only
"""The host of each measurement is named in every form of a report."""

import json

import pytest
from msgspec.structs import replace

from kassay.model.host_comparison import HostChange, HostComparison, HostRuns
from kassay.model.reason import reason
from kassay.model.report import Report
from kassay.report.formats import format_named
from tests.report.reports import HOSTILE
from tests.report.timed_reports import timed

HOSTS = (
    HostRuns(host="lab1", cpu="AMD EPYC 9124", kernel="6.1.0-40", program="QEMU 8.2.2", ok=12, failed=0),
    HostRuns(host="lab2", cpu="Intel Xeon Gold 6330", kernel="6.14.0-37", program="QEMU 8.2.2", ok=13, failed=1),
)
ROWS = (
    HostChange(host="lab1", base_value=346.8, head_value=364.1, n_base=6, n_head=6, change=0.05, interval=(0.02, 0.08)),
    HostChange(host="lab2", base_value=301.2, head_value=466.9, n_base=6, n_head=7, change=0.55, interval=(0.5, 0.61)),
)
DIFFER = reason(
    "hosts-differ", p=0.0004, low=0.05, low_host="lab1", high=0.55, high_host="lab2", scatter=0.29
)  # fmt: skip


def report(hosts: tuple[HostRuns, ...] = HOSTS) -> Report:
    """A timed session over two hosts, whose change differs."""
    found = timed()
    first = found.findings[0]
    one = HostComparison(
        workload=first.workload, settings=first.settings, machine=first.machine, metric=first.metric, unit=first.unit,
        base=first.sides[0].kernel, head=first.sides[1].kernel, rows=ROWS, level=0.984, p=0.0004, threshold=0.016,
        common=0.2, scatter=0.29, meaning=DIFFER,
    )  # fmt: skip
    return replace(found, hosts=hosts, across_hosts=(one,))


def rendered(form: str, given: Report) -> str:
    return format_named(form).render(given)


@pytest.mark.parametrize("form", ["terminal", "markdown", "mail"])
def test_every_host_is_named_with_its_runs_and_what_they_come_to(form: str) -> None:
    text = " ".join(rendered(form, report()).split())
    assert "lab1" in text and "lab2" in text and "AMD EPYC 9124" in text
    assert "the hosts differ by more than the boots of one host do (p = 0.0004)" in text


def test_a_page_has_each_host_s_own_values() -> None:
    text = rendered("markdown_full", report())
    assert "## Which host measured what" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| lab2 | 301.2")]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "lab2", "301.2", "6", "466.9", "7", "+55.0 %", "+50.0 % to +61.0 %",
    ]  # fmt: skip


def test_programs_get_the_figures_and_the_code() -> None:
    found = json.loads(rendered("json", report()))
    assert [(host["host"], host["ok"], host["failed"]) for host in found["hosts"]] == [("lab1", 12, 0), ("lab2", 13, 1)]
    (one,) = found["across_hosts"]
    assert (one["p"], one["meaning_code"]["code"], one["rows"][1]["interval"]) == (0.0004, "hosts-differ", [0.5, 0.61])


def test_where_this_host_made_all_runs_nothing_is_said_of_hosts() -> None:
    own = timed()
    assert "host measured" not in rendered("markdown", own)
    assert json.loads(rendered("json", own))["hosts"] == []


@pytest.mark.parametrize("form", ["terminal", "markdown", "mail"])
def test_a_host_s_name_is_no_markup(form: str) -> None:
    text = rendered(form, report((replace(HOSTS[0], host=HOSTILE),)))
    assert "\x1b" not in text
    assert form in ("terminal", "mail") or "<script>alert" not in text.replace("\\<script>", "")
