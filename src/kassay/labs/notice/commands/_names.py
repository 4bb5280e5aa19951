# SPDX-License-Identifier: GPL-2.0-only
"""Check of the functions that a user named before anything is measured."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from kassay.errors import BadInput, HostLacks
from kassay.evidence.profile.tables import kernel_symbols, module_symbols
from kassay.labs.notice.names import check_names
from kassay.model.experiment import Experiment, labels
from kassay.model.kernel import KernelArtifact
from kassay.model.profile import base_name
from kassay.model.progress import Tell
from kassay.supply.guest import state
from kassay.supply.kernels import load_modules
from kassay.supply.prepare.kernels import fetch_kernels
from kassay.supply.prepare.workloads import describe_workloads, settings_of


def check_before(names: Collection[str], experiment: Experiment, tell: Tell) -> None:
    """Raises BadInput for a name that a kernel lacks, before anything is measured. A kernel whose symbols, or those of
    the modules that runs load, cannot be read is not checked."""
    workloads = describe_workloads(experiment.workloads, None)
    settings = settings_of(experiment, workloads)
    modules = tuple({name for use, values in settings for name in state.modules(workloads[use], values, "")})
    known = {}
    for label, artifact in zip(labels(experiment), fetch_kernels(experiment, None, tell), strict=True):
        try:
            tables = tuple(_tables(artifact, modules, tell))
        except (BadInput, HostLacks):
            continue
        known[label] = {base_name(line.rpartition(" ")[2]) for table in tables for line in table.decode().splitlines()}
    check_names(names, known, tuple)


def _tables(artifact: KernelArtifact, modules: Sequence[str], tell: Tell) -> Iterator[bytes]:
    if artifact.symbols is None:
        raise HostLacks(f"{artifact.identity.ref}: no symbols")
    yield kernel_symbols(Path(artifact.symbols))
    yield from (module_symbols(name, image) for name, image in load_modules(artifact, modules, tell))
