# SPDX-License-Identifier: GPL-2.0-only
"""kassay pcp measure on real kernels: blocks are conserved, runs agree, and lists of fixed length pass more of them."""

import json
from pathlib import Path

import pytest

from kassay.evidence.profiles import raw_of
from kassay.journal.directory import open_directory
from kassay.journal.journal import read_journal
from tests.boot.conftest import Kassay

pytestmark = pytest.mark.boot


def test_fixed_lists_pass_more_blocks_than_tuned_ones_and_every_block_is_accounted_for(
    kassay: Kassay, tmp_path: Path
) -> None:
    out = tmp_path / "d"
    words = ("pcp", "measure", "6.12", "--depth", "8MiB", "--fixed", "400", "--out", str(out), "--format", "json")
    ran = kassay(*words)
    assert ran.status == 0, ran.err
    rows = {(row["workload"], row["policy"]): row for row in ran.json()["rows"]}
    assert all(row["alike"] and not row["problem"] for row in rows.values())
    fixed, auto = rows["page_fault", "fixed=400"], rows["page_fault", "auto"]
    assert fixed["counts"]["refilled"] > 2 * auto["counts"]["refilled"]
    assert fixed["counts"]["drained"] > 0 and fixed["counts"]["allocated"] > 2048 * fixed["rounds"]
    for row in (fixed, auto):  # order-0 pages but for a few: what came to the lists is what went, or is in them
        counts, first, last = row["counts"], row["samples"][0], row["samples"][-1]
        held = sum(one[2] for one in last["lists"]) - sum(one[2] for one in first["lists"])
        moved = counts["refilled"] - counts["drained"] + counts["freed"] - counts["allocated"]
        assert abs(moved - held) < 128, (moved, held)
    assert len({state[3] for one in fixed["samples"] for state in one["lists"] if state[0] == "DMA32"}) == 1
    idle = rows["pcp_idle", "auto"]
    highs = [max(state[3] for state in one["lists"]) for one in idle["samples"]]
    assert highs == sorted(highs, reverse=True) and highs[-1] < highs[0]
    assert set(idle["counts"]["drains_by"]) == {"decay_pcp_high"}
    folder = open_directory(out / "fixed-400" / "work")
    found = [raw_of(folder.path, record) for record in read_journal(folder.journal, folder.plan_id)]
    assert all(raw is not None and raw.zone_handovers == 0 for raw in found)  # there is one CPU
    assert fixed["counts"]["acquisitions"] in {raw.zone_locks for raw in found if raw is not None}
    text = (out / "report.txt").read_text()
    assert "Change, page_fault" in text and json.loads((out / "report.json").read_text())["schema"]
