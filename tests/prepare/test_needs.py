# SPDX-License-Identifier: GPL-2.0-only
"""A kernel that cannot make the runs is refused by the symbols that its configuration lacks, before it is booted."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.errors import BadInput
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.model.progress import silent
from kassay.supply.arches import arches
from kassay.supply.building.config import FOLDER
from kassay.supply.kernels import load_modules
from kassay.supply.prepare.needs import check_needs, needs

EXPERIMENT = Experiment(name="e", question="value", kernels=(KernelUse(ref="image:/k"),),
                        workloads=(WorkloadUse(name="mprotect_toggle"),))  # fmt: skip
EVERYTHING = structs.replace(EXPERIMENT, cpus=(2,), nodes=2, memcg="64MiB", thp="always", swap="zram:64MiB")


def kernel(place: Path, *without: str, modules: tuple[str, ...] = ()) -> KernelArtifact:
    """One whose configuration has what EVERYTHING needs, except for some symbols."""
    lines = ["CONFIG_64BIT=y\n"]
    for need in needs(EVERYTHING):
        if need.symbol not in without:
            lines.append(f"CONFIG_{need.symbol}=m\n" if need.symbol in modules else f"{need.wanted}\n")
    (place / "config").write_text("".join(lines) + "".join(f"# CONFIG_{symbol} is not set\n" for symbol in without))
    identity = KernelIdentity(ref="image:/k", arch="x86_64", release="6.1.0", image_sha256="0" * 64)
    return KernelArtifact(identity=identity, directory=str(place), image="", config=str(place / "config"))


def test_a_kernel_that_has_everything_is_taken_and_so_is_one_that_is_not_known(tmp_path: Path) -> None:
    whole = kernel(tmp_path)
    check_needs(EVERYTHING, (whole, structs.replace(whole, config=None)))
    check_needs(EVERYTHING, (kernel(tmp_path, modules=("ZRAM",)),))


@pytest.mark.parametrize("symbol", [need.symbol for need in needs(EVERYTHING) if not need.least])
def test_each_symbol_that_is_lacking_is_named(symbol: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=rf"'image:/k' cannot be measured: CONFIG_{symbol} is not set \(") as caught:
        check_needs(EVERYTHING, (kernel(tmp_path, symbol),))
    assert caught.value.remedy == f"build it with CONFIG_{symbol}=y, or name another kernel"


def test_a_fragment_of_a_configuration_refuses_nothing(tmp_path: Path) -> None:
    fragment = kernel(tmp_path)
    (tmp_path / "config").write_text("CONFIG_HZ=100\n")
    check_needs(EVERYTHING, (fragment,))


@pytest.mark.parametrize(("symbol", "raised"), [("NR_UARTS", False), ("RUNTIME_UARTS", True)])
def test_a_kernel_with_too_few_serial_ports_is_refused(symbol: str, raised: bool, tmp_path: Path) -> None:
    """Its command line raises the number that is there when it boots, up to what was compiled in."""
    few = kernel(tmp_path)
    config = tmp_path / "config"
    config.write_text(config.read_text().replace(f"8250_{symbol}=2", f"8250_{symbol}=1"))
    told = structs.replace(EXPERIMENT, kernels=(KernelUse(ref="image:/k", cmdline="8250.nr_uarts=4"),))
    for experiment in (EXPERIMENT,) if raised else (EXPERIMENT, told):
        with pytest.raises(BadInput, match=f"CONFIG_SERIAL_8250_{symbol} is 1 ") as caught:
            check_needs(experiment, (few,))
        assert caught.value.remedy == f"build it with CONFIG_SERIAL_8250_{symbol}=2, or name another kernel"
    if raised:
        check_needs(told, (few,))


def test_a_serial_port_that_is_a_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="CONFIG_SERIAL_8250 is a module only"):
        check_needs(EXPERIMENT, (kernel(tmp_path, modules=("SERIAL_8250",)),))


def test_nothing_is_needed_that_the_experiment_does_not_use(tmp_path: Path) -> None:
    unused = ("SMP", "NUMA", "MEMCG", "TRANSPARENT_HUGEPAGE", "SWAP", "ZRAM", "DEVTMPFS")
    check_needs(EXPERIMENT, (kernel(tmp_path, *unused),))


def test_a_module_that_the_configuration_leaves_out_is_named_by_its_symbol(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no module zram: CONFIG_ZRAM is not set"):
        load_modules(kernel(tmp_path, "ZRAM"), ["zram"], silent)


def test_a_driver_that_is_compiled_in_needs_no_module(cache: Path, tmp_path: Path) -> None:
    assert load_modules(kernel(tmp_path), ["zram"], silent) == ()


def test_a_module_that_no_file_has_is_answered_with_how_to_name_files(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing is known about its modules") as caught:
        load_modules(kernel(tmp_path, modules=("ZRAM",)), ["zram"], silent)
    assert "modules=DIR" in caught.value.remedy


@pytest.mark.parametrize("arch", arches())
def test_the_lab_configuration_asks_for_all_of_it(arch: str) -> None:
    text = (FOLDER / "lab.config").read_text() + (FOLDER / f"lab-{arch}.config").read_text()
    symbols = [need.symbol for need in needs(structs.replace(EXPERIMENT, arch=arch, swap="zram:64MiB"))]
    assert [symbol for symbol in symbols if f"CONFIG_{symbol}=y" not in text and symbol not in DEFAULTS] == []


DEFAULTS = {"PCI", "SERIAL_8250_NR_UARTS", "SERIAL_8250_RUNTIME_UARTS"}
