# SPDX-License-Identifier: GPL-2.0-only
"""One kernel on two CPUs: the guest sees them, and the difference is in the functions that the kernel patched in."""

from pathlib import Path

import pytest

from tests.boot.conftest import NEW, RESTORED, Kassay, answered

pytestmark = pytest.mark.boot


def test_one_kernel_on_two_cpus_differs_in_what_it_patched_in(kassay: Kassay, tmp_path: Path) -> None:
    pair = (f"{NEW}@cpu=skylake_sp", f"{NEW}@cpu=zen3")
    ran = kassay("compare", "mprotect_toggle", *pair, *RESTORED, "--perturb", "0", "--format", "json",
                 "--out", str(tmp_path / "d"))  # fmt: skip
    assert ran.status == 0, ran.err
    report = ran.json()
    finding = next(f for f in report["findings"] if f["primary"])
    assert finding["verdict"] == "regression"
    assert [side["kernel"] for side in finding["sides"]] == list(pair)
    # Two equal runs a side: the same digits.
    assert all(len(set(side["runs"])) == 1 for side in finding["sides"])
    rows = {row["function"]: row["delta"] for row in finding["attribution"]["rows"]}
    assert rows["srso_alias_safe_ret"] > 20 and rows["its_return_thunk"] < 0
    seen = {cpu["named"]["name"]: cpu for cpu in report["cpus"]}
    assert seen["zen3"]["name"].startswith("AMD EPYC-Milan") and seen["zen3"]["named"]["other"] == []
    assert {"pcid", "invpcid"} <= set(seen["skylake_sp"]["missing"])
    assert "smap" in seen["skylake_sp"]["features"] and "smap" not in seen["skylake_sp"]["missing"]
    text = kassay("report", str(tmp_path / "d")).out
    assert "which the real one has" in " ".join(text.split())
    assert f"{NEW}@cpu=zen3" in (tmp_path / "d" / "report.html").read_text()


def test_a_profile_counts_code_that_is_entered_in_an_immediate(tmp_path: Path) -> None:
    """srso_untrain_ret(), of the kernel on these CPUs, calls into the immediate of its own first instruction."""
    asked = 'boot = "snapshot"\nrounds = 8\nrepeats = 1\nperturb = 0\n'
    asked += "".join(f'[[kernels]]\nref = "{NEW}"\ncpu = "{cpu}"\n' for cpu in ("zen2", "zen5"))
    use = '[[workloads]]\nname = "mprotect_toggle"\nset.size = "2MiB"\n'
    finding = next(f for f in answered(asked + use, tmp_path / "d")["findings"] if f["primary"])
    assert finding["profile_note"] == "" and finding["attribution"]["unattributed"] == 0
