# SPDX-License-Identifier: GPL-2.0-only
"""The engine without a scheduler: sequences that a host began which is not in the cluster any more."""

from pathlib import Path

import pytest

from kassay.model.host import Host
from kassay.model.progress import Progress
from kassay.model.run import WallTime
from kassay.supply.machines import Ended, Job, machine_for
from kassay.tools.cluster.executor import HostRequirements
from kassay.tools.cluster.slots import Slot, Slots

BETA = Host(name="beta", arch="x86_64", cpu="", cpus=1, memory_bytes=1 << 30, kernel="", program="", kassay="")


def test_a_block_of_a_host_that_is_not_in_the_cluster_is_made_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal of an earlier session names the host; this session has never seen it."""
    pytest.importorskip("distributed")
    from kassay.tools.cluster.dask_engine import DaskCluster

    (tmp_path / "program").write_bytes(b"x")
    job = Job(directory=str(tmp_path), program=(str(tmp_path / "program"),), kernel=None, initramfs=None, cmdline="",
              cpus=1, memory_bytes=1 << 30, seed=1, timeout_s=5)  # fmt: skip
    told: list[Progress] = []
    cluster = object.__new__(DaskCluster)
    cluster._slots, cluster._hosts, cluster._tell = Slots(0), {"beta": BETA}, told.append
    cluster._wanted = HostRequirements(machine_for("kvm"), "x86_64", 1, 1 << 30, "short", False)
    cluster._slots.arrive(Slot("tcp://b:1", "beta"), 1)
    ended = Ended(status=0, timed_out=False, detail="", stream=b"", console=b"", wall=WallTime(), argv=())
    monkeypatch.setattr(cluster, "_run_on", lambda slot, parcel: ended)
    cluster.assign("block 0", "alpha")
    for _ in range(2):
        made = cluster.run(job, "x86_64", "block 0")
        assert (made.ended, made.host, made.lost) == (ended, BETA, "")
    assert [progress.subject for progress in told] == ["alpha"]
