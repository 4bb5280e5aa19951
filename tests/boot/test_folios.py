# SPDX-License-Identifier: GPL-2.0-only
"""Memory in folios of one order: made, proven by the audit, or refused with what the kernel lacks."""

from pathlib import Path
from typing import Any

import pytest

from tests.boot.conftest import NEW, OLD, ONCE, Kassay

pytestmark = pytest.mark.boot
SMALL = ("--set", "size=2MiB", "--rounds", "2", "--profile", "counts", "--boot", "snapshot", *ONCE)


def compared(kassay: Kassay, out: Path, orders: str) -> dict[str, Any]:
    words = ("compare", "folio_fork", OLD, NEW, "--set", f"order={orders}", *SMALL, "--out", str(out))
    return kassay(*words).json()


def test_each_order_is_made_and_proven(kassay: Kassay, tmp_path: Path) -> None:
    report = compared(kassay, tmp_path / "d", "0,4,9")
    values = {f["settings"]["order"]: f["base_value"] for f in report["findings"] if f["metric"] == "fork"}
    assert values["4"] < values["0"]  # entries of one folio are copied together
    assert len(report["audits"]) >= 6
    for audit in report["audits"]:
        orders = {name: value for name, value in audit["fields"].items() if name.startswith("folios.")}
        (order,) = (name for name, value in orders.items() if value == "512")
        assert all(value == "0" for name, value in orders.items() if name != order)
        assert audit["fields"]["range.AnonHugePages"] == "0"
    assert {f["verdict"] for f in report["findings"]} <= {"regression", "improvement", "equivalent"}
    for side in (side for f in report["findings"] for side in f["sides"]):
        assert dict(side["contexts"])["other"] == 0  # the child works for the measured task


def test_a_kernel_without_the_order_says_so(kassay: Kassay, tmp_path: Path) -> None:
    words = ("--cmdline-base", "transparent_hugepage=never", "--cmdline-head", "transparent_hugepage=never")
    ran = kassay("compare", "folio_fork", OLD, OLD, "--set", "order=9", *SMALL, *words, "--out", str(tmp_path / "d"))
    found = ran.json()["findings"]
    assert {f["verdict"] for f in found} == {"semantic-failure"}
    assert "folios.order9 must be == 512" in str(found[0]["reasons"])


def test_folios_of_a_file_system_are_as_large_as_the_writes_where_it_can_make_them(
    kassay: Kassay, tmp_path: Path
) -> None:
    words = ("--set", "memory=ext4", "--set", "order=0,4", *SMALL, "--out", str(tmp_path / "d"))
    report = kassay("compare", "folio_protect_shared", OLD, NEW, *words).json()
    found = {f["settings"]["order"]: f["verdict"] for f in report["findings"] if f["metric"] == "iteration"}
    assert found == {"0": "regression", "4": "semantic-failure"}  # ext4 has large folios since 6.16
    audits = {(a["kernel"], a["settings"]["order"]): a["fields"] for a in report["audits"]}
    assert audits[NEW, "4"]["folios.order4"] == "512"
    assert (audits[OLD, "4"]["folios.order0"], audits[OLD, "0"]["folios.order0"]) == ("512", "512")
