# SPDX-License-Identifier: GPL-2.0-only
"""Policies of folio sizes are refused for a kernel whose symbols show that it has none."""

from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.supply.prepare.kernels import check_folio_sizes

EXPERIMENT = Experiment(name="e", question="value", kernels=(KernelUse(ref="image:/k"),),
                        workloads=(WorkloadUse(name="mprotect_toggle"),), mthp="4=always")  # fmt: skip


def kernel(symbols: Path | None) -> KernelArtifact:
    identity = KernelIdentity(ref="image:/k", arch="x86_64", release="6.1.0", image_sha256=None)
    return KernelArtifact(identity=identity, directory="", image="", symbols=str(symbols) if symbols else None)


def test_a_kernel_without_the_function_is_refused(tmp_path: Path) -> None:
    (tmp_path / "symbols").write_bytes(b"ffffffff81000000 t thpsize_release_all\n")
    with pytest.raises(BadInput, match=r"image:/k is 6\.1\.0, which has no policies for folio sizes"):
        check_folio_sizes(EXPERIMENT, (kernel(tmp_path / "symbols"),))


def test_a_kernel_with_it_is_taken_and_so_is_one_whose_symbols_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "symbols").write_bytes(b"ffffffff81000000 t a\nffffffff81000010 t thpsize_release\nffffffff81 t b\n")
    check_folio_sizes(EXPERIMENT, (kernel(tmp_path / "symbols"), kernel(None)))
