# SPDX-License-Identifier: GPL-2.0-only
"""`kassay pcp measure` refuses wrong arguments before anything is booted."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.evidence.profile.symbols import Symbols
from kassay.labs.pcp.measure import Wanted, fraction_of, measure, raises_high
from kassay.model.kernel import KernelArtifact, KernelIdentity, KernelRef
from kassay.model.progress import Tell
from tests.profile.files import KERNEL, table


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Wanted(kernels=("6.12",), cpus=9), "outside 1..8"),
        (Wanted(kernels=("6.12",), depths=()), "at least one value"),
        (Wanted(kernels=("6.12",), fixed=3), "at least 8"),
    ],
)
def test_what_cannot_be_measured_is_refused(wanted: Wanted, words: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=words):
        measure(wanted, tmp_path / "d")
    assert not (tmp_path / "d").exists()


def test_a_kernel_that_never_starts_its_second_cpu_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new").write_bytes(b"ffffffff81000000 T cpuhp_ap_sync_alive\n")
    (tmp_path / "old").write_bytes(b"ffffffff81000000 T not_cpuhp_ap_sync_alive_now\n")

    def fetched(refs: Sequence[KernelRef], flavour: str, tell: Tell) -> tuple[KernelArtifact, ...]:
        return tuple(
            KernelArtifact(
                identity=KernelIdentity(ref=ref.text, arch=ref.arch, release=ref.locator, image_sha256=None),
                directory="",
                image="",
                symbols=str(tmp_path / ("old" if ref.locator == "6.1" else "new")),
            )
            for ref in refs
        )

    monkeypatch.setattr("kassay.labs.pcp.measure.fetch", fetched)
    with pytest.raises(BadInput, match=r"debian:6\.1: it does not start its second CPU"):
        measure(Wanted(kernels=("6.12", "debian:6.1"), cpus=2), tmp_path / "d")
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize(
    ("function", "release", "tunes"),
    [("decay_pcp_high", "6.1.192", True), ("free_pcppages_bulk", "6.12.117", False), ("", "6.12.117", True),
     ("", "6.1.192", False)],
)  # fmt: skip
def test_a_kernel_that_tunes_high_is_known_by_its_function(function: str, release: str, tunes: bool) -> None:
    symbols = Symbols.load([table((KERNEL, 16, function))], {}) if function else None
    assert raises_high(symbols, release) is tunes


def test_a_directory_without_runs_gives_no_fraction(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a run directory"):
        fraction_of([tmp_path])
