# SPDX-License-Identifier: GPL-2.0-only
"""Symbols of a kernel's configuration that an experiment needs, checked before anything is booted."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kassay.errors import BadInput
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelArtifact
from kassay.supply import kernels as kernel_store
from kassay.supply.arches import arch_of


class Need(NamedTuple):
    """One symbol without which no run of an experiment can work."""

    symbol: str
    purpose: str
    module: bool = False
    """True if a module will do."""
    least: int = 0
    """Smallest number that will do."""

    @property
    def wanted(self) -> str:
        """Line of a configuration that has it."""
        return f"CONFIG_{self.symbol}={self.least or 'y'}"


_ALWAYS = (
    Need("BLK_DEV_INITRD", "kassay boots from an initramfs"),
    Need("BINFMT_ELF", "the programs of the guest are ELF files"),
    Need("PROC_FS", "the page state is read from /proc"),
    Need("PROC_PAGE_MONITOR", "the page state is read from /proc/self/pagemap"),
    Need("TTY", "results leave the guest by a serial port"),
)


def needs(experiment: Experiment) -> Iterator[Need]:
    """Everything that all runs of an experiment need."""
    yield from _ALWAYS
    qemu, purpose = arch_of(experiment.arch).qemu, "kassay's serial ports"
    yield from (Need(symbol, purpose) for symbol in qemu.symbols)
    yield Need("SERIAL_8250_NR_UARTS", purpose, least=qemu.uarts)
    if not any("nr_uarts" in use.cmdline for use in experiment.kernels):
        yield Need("SERIAL_8250_RUNTIME_UARTS", purpose, least=qemu.uarts)
    if max(experiment.cpus) > 1:
        yield Need("SMP", "more than one CPU")
    if (experiment.nodes or 1) > 1:
        yield Need("NUMA", "several memory nodes")
    if experiment.memcg:
        yield Need("MEMCG", "--memcg")
    if experiment.thp or experiment.mthp:
        yield Need("TRANSPARENT_HUGEPAGE", "a policy of huge pages")
    if experiment.swap:
        yield Need("SWAP", "--swap")
        yield Need("ZRAM", "--swap", module=True)
        yield Need("DEVTMPFS", "the swap device")


def check_needs(experiment: Experiment, artifacts: Sequence[KernelArtifact]) -> None:
    """Raises BadInput for a kernel whose configuration shows that it cannot make the runs; one that is not known is
    taken."""
    for artifact in artifacts:
        lacking = [(need, value) for need in needs(experiment) if (value := _lacking(artifact, need))]
        if lacking:
            listed = ", ".join(f"CONFIG_{need.symbol} {value} ({need.purpose})" for need, value in lacking)
            wanted = " ".join(need.wanted for need, _ in lacking)
            raise BadInput(f"kernel {artifact.identity.ref!r} cannot be measured: {listed}",
                           f"build it with {wanted}, or name another kernel")  # fmt: skip


def _lacking(artifact: KernelArtifact, need: Need) -> str:
    """How a kernel's configuration lacks a symbol; "" if it has it, or is not known."""
    value = kernel_store.option(artifact, need.symbol)
    if need.least:
        return f"is {value}" if value and value.isdigit() and int(value) < need.least else ""
    if value == "n":
        return "is not set"
    return "is a module only" if value == "m" and not need.module else ""
