# SPDX-License-Identifier: GPL-2.0-only
"""The engine without a scheduler: hosts that are gone, and hosts that give the name of another one."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import kassay
from kassay.model.host import Host
from kassay.model.progress import Progress
from kassay.model.records import to_json
from kassay.model.run import WallTime
from kassay.supply.machines import Ended, Job, machine_for
from kassay.tools.cluster import work
from kassay.tools.cluster.executor import HostRequirements
from kassay.tools.cluster.slots import Slot, Slots

BETA = Host(name="beta", arch="x86_64", cpu="", cpus=1, memory_bytes=1 << 30, kernel="", program="",
            kassay=kassay.__version__)  # fmt: skip


@pytest.fixture
def told() -> list[Progress]:
    return []


@pytest.fixture
def cluster(told: list[Progress]) -> Any:
    """A DaskCluster that is not connected and knows no host."""
    pytest.importorskip("distributed")
    from kassay.tools.cluster.dask_engine import DaskCluster

    made = object.__new__(DaskCluster)
    made._slots, made._hosts, made._refused, made._tell = Slots(0), {}, {}, told.append
    made._wanted = HostRequirements(machine_for("kvm"), "x86_64", 1, 1 << 30, "short", False)
    return made


def test_a_block_of_a_host_that_is_not_in_the_cluster_is_made_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Any, told: list[Progress]
) -> None:
    """The journal of an earlier session names the host; this session has never seen it."""
    (tmp_path / "program").write_bytes(b"x")
    job = Job(directory=str(tmp_path), program=(str(tmp_path / "program"),), kernel=None, initramfs=None, cmdline="",
              cpus=1, memory_bytes=1 << 30, seed=1, timeout_s=5)  # fmt: skip
    cluster._hosts["beta"] = BETA
    cluster._slots.arrive(Slot("tcp://b:1", "beta"), 1)
    ended = Ended(status=0, timed_out=False, detail="", stream=b"", console=b"", wall=WallTime(), argv=())
    monkeypatch.setattr(cluster, "_run_on", lambda slot, parcel: ended)
    cluster.assign("block 0", "alpha")
    for _ in range(2):
        made = cluster.run(job, "x86_64", "block 0")
        assert (made.ended, made.host, made.lost) == (ended, BETA, "")
    assert [progress.subject for progress in told] == ["alpha"]


def test_another_host_of_the_same_name_is_refused(cluster: Any) -> None:
    identity = to_json(cluster._wanted.machine.identify("x86_64", 1, "short"))
    other = structs.replace(BETA, memory_bytes=2 << 30)
    for address, host in (("tcp://b:1", BETA), ("tcp://c:1", other), ("tcp://b:2", BETA)):
        cluster._welcome(Slot(address, "beta"), to_json(host), identity, "")
    assert cluster._slots.addresses() == ("tcp://b:1", "tcp://b:2")
    assert cluster._refused == {
        "tcp://c:1": "beta: a host with other properties has this name, or had it before; "
        "start this worker with another --name"
    }


def test_a_host_with_another_plugin_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = machine_for("icount")
    words = (machine.clock, machine.name, "x86_64", 1, "short", False)
    monkeypatch.setenv(work.HOST, to_json(BETA).decode())
    assert work.identity(*words, machine.plugin_sha256("x86_64"))[2] == ""
    assert work.identity(*words, "0" * 64)[2].startswith("its plugin for QEMU is another one")
