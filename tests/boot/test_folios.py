# SPDX-License-Identifier: GPL-2.0-only
"""Memory in folios of one order: made, proven by the audit, or refused with what the kernel lacks."""

from pathlib import Path

import pytest

from tests.boot.conftest import NEW, OLD, answered

pytestmark = pytest.mark.boot


PAIR = f'kernels = ["{OLD}", "{NEW}"]'
NEVER = f'[[kernels]]\nref = "{OLD}"\ncmdline = "transparent_hugepage=never"\n'
ONCE = 'boot = "snapshot"\nprofile = "counts"\nrounds = 2\nrepeats = 1\nperturb = 0'


def asked(kernels: str, workload: str, *settings: str) -> str:
    """Experiment with one run of a workload on 2 MiB in each kernel and setting."""
    return "\n".join((ONCE, kernels, "[[workloads]]", f'name = "{workload}"', 'set.size = "2MiB"', *settings))


def test_each_order_is_made_and_proven(tmp_path: Path) -> None:
    report = answered(asked(PAIR, "folio_fork", 'set.order = ["0", "4", "9"]'), tmp_path / "d")
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


def test_a_kernel_without_the_order_says_so(tmp_path: Path) -> None:
    found = answered(asked(2 * NEVER, "folio_fork", 'set.order = "9"'), tmp_path / "d")["findings"]
    assert {f["verdict"] for f in found} == {"semantic-failure"}
    assert "folios.order9 must be == 512" in str(found[0]["reasons"])


def test_folios_of_a_file_system_are_as_large_as_the_writes_where_it_can_make_them(tmp_path: Path) -> None:
    settings = ('set.memory = "ext4"', 'set.order = ["0", "4"]')
    report = answered(asked(PAIR, "folio_protect_shared", *settings), tmp_path / "d")
    found = {f["settings"]["order"]: f["verdict"] for f in report["findings"] if f["metric"] == "iteration"}
    assert found == {"0": "regression", "4": "semantic-failure"}  # ext4 has large folios since 6.16
    audits = {(a["kernel"], a["settings"]["order"]): a["fields"] for a in report["audits"]}
    assert audits[NEW, "4"]["folios.order4"] == "512"
    assert (audits[OLD, "4"]["folios.order0"], audits[OLD, "0"]["folios.order0"]) == ("512", "512")
