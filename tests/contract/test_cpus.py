# SPDX-License-Identifier: GPL-2.0-only
"""The contract of every CPU that discovery finds: QEMU knows a model, and what is said of the real one is whole."""

import pytest

from kassay.effects import process
from kassay.errors import BadInput
from kassay.supply.arches import arches
from kassay.supply.cpus import Cpu, cpu_for, cpus, cpus_for
from kassay.supply.machines import machines

each = pytest.mark.parametrize("cpu", cpus().values(), ids=cpus())


@each
def test_it_says_what_it_is_and_for_which_architecture(cpu: Cpu) -> None:
    assert cpu.summary and "\n" not in cpu.summary
    assert cpu.models and set(cpu.models) <= set(arches())
    assert all(cpu.models.values())
    assert len(set(cpu.features)) == len(cpu.features)


@each
def test_a_real_one_has_a_number_and_features_and_no_other_does(cpu: Cpu) -> None:
    assert bool(cpu.identity) == bool(cpu.features)


@each
def test_the_qemu_at_hand_has_a_model_of_it(cpu: Cpu) -> None:
    choose = machines()["qemu_icount"].cpu_option
    for arch, known in cpu.models.items():
        if process.find(arches()[arch].qemu.program) is None:
            pytest.skip(f"no QEMU for {arch}")
        assert choose(cpu.name, arch) in known


@pytest.mark.parametrize("arch", arches().values(), ids=arches())
def test_the_default_of_an_architecture_has_a_name_too(arch: object) -> None:
    name = getattr(arch, "name", "")
    own = arches()[name]
    known = [cpus()[cpu].models[name] for cpu in cpus_for(name)]
    assert not known or (own.qemu.cpu,) in known


def test_the_cpu_of_a_virtual_machine_is_that_of_the_host() -> None:
    for name in ("qemu_kvm", "host"):
        with pytest.raises(BadInput, match="runs on the CPU of this host"):
            machines()[name].cpu_option("zen3", "x86_64")


def test_cpu_of_another_architecture_is_refused() -> None:
    with pytest.raises(BadInput, match="no 'neoverse_n1' for x86_64") as caught:
        cpu_for("neoverse_n1", "x86_64")
    assert "qemu64, cascadelake_sp, skylake_sp" in caught.value.remedy
