# SPDX-License-Identifier: GPL-2.0-only
"""A machine is granted with all that was chosen of it, or refused with the way out."""

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.model.progress import silent
from kassay.supply.machines import machine_for
from kassay.supply.prepare.machine import check_remote, grant_machine, profile_problem, shared_cmdlines
from tests.analysis.plans import WORKLOAD, plan_of

EXPERIMENT = plan_of(2).experiment


@pytest.mark.parametrize(("clock", "why"), [("host", "executes programs on this host"), ("metal", "is one host alone")])
def test_a_cluster_is_refused_for_a_machine_that_only_this_host_has(clock: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_remote(machine_for(clock))


@pytest.mark.parametrize("clock", ["icount", "tcg", "kvm"])
def test_a_cluster_has_every_machine_of_qemu(clock: str) -> None:
    check_remote(machine_for(clock))


def test_the_host_has_the_cpu_and_the_nodes_that_it_has() -> None:
    native = structs.replace(EXPERIMENT, clock="host", nodes=2)
    assert grant_machine(native, machine_for("host"), (WORKLOAD,)).options == ()
    with pytest.raises(BadInput, match="machine host runs on the CPU of this host"):
        grant_machine(structs.replace(native, cpu=("zen3",)), machine_for("host"), (WORKLOAD,))


def test_cpus_and_nodes_are_among_the_options_of_a_machine_of_qemu() -> None:
    plain = grant_machine(EXPERIMENT, machine_for("icount"), (WORKLOAD,)).options
    two = grant_machine(structs.replace(EXPERIMENT, cpu=("zen3", "zen2")), machine_for("icount"), (WORKLOAD,)).options
    assert len(two) == len(plain) + 3 and two[-3:-1] == ("zen2:", "-cpu")
    assert two[two.index("-cpu") + 1] != plain[plain.index("-cpu") + 1]
    numa = grant_machine(EXPERIMENT, machine_for("icount"), (structs.replace(WORKLOAD, nodes=2),)).options
    assert numa[: len(plain)] == plain and "-numa" in numa[len(plain) :]


def test_a_machine_that_starts_no_kernel_has_no_kernel_parameters() -> None:
    assert shared_cmdlines(EXPERIMENT, machine_for("host"), None, None) == ()
    (line,) = shared_cmdlines(EXPERIMENT, machine_for("icount"), None, None)
    assert line.name == "1" and "norandmaps" in line.value


def test_times_need_no_profile_unless_one_is_asked_for_by_name() -> None:
    timed = structs.replace(EXPERIMENT, clock="kvm")
    assert profile_problem(timed, machine_for("kvm"), silent) == ""
