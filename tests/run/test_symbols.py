# SPDX-License-Identifier: GPL-2.0-only
"""The plugin's lines of functions are sorted, and the kernel's are held once for all programs."""

import subprocess
from pathlib import Path

import pytest

from kassay.evidence.profile import tables
from kassay.model.kernel import KernelArtifact, KernelIdentity
from kassay.run import symbols

pytestmark = pytest.mark.slow

KERNEL = "ffffffff81000000 T kassay_first\nffffffff81000020 t second\nffffffff81000040 D data\n"


@pytest.fixture
def artifact(tmp_path: Path, cache: Path) -> KernelArtifact:
    path = tmp_path / "System.map"
    path.write_text(KERNEL)
    identity = KernelIdentity(ref="image:/k", arch="x86_64", release="6.1.0", image_sha256=None)
    return KernelArtifact(identity=identity, directory="", image="", symbols=str(path))


def program(place: Path, name: str) -> Path:
    source, out = place / f"{name}.c", place / name
    source.write_text(f"int {name}(void) {{ return 1; }}\nint main(void) {{ return {name}(); }}\n")
    subprocess.run(["gcc", "-static", "-O0", "-o", out, source], check=True)
    return out


def test_functions_are_sorted_and_the_kernel_is_read_once(
    artifact: KernelArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    of_tables = tables.points

    def noted(found: tuple[bytes, ...], *rest: object, **named: bool) -> str:
        read.append(sum(b"kassay_first" in table for table in found))
        return of_tables(found, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(symbols, "points", noted)
    for name in ("alpha", "beta", "alpha"):
        lines = symbols.plugin_points(artifact, program(tmp_path, name), functions=True).decode().splitlines()
        starts = [int(line.split()[1], 16) for line in lines if line.startswith("function ")]
        assert starts == sorted(starts) and starts[-2:] == [0xFFFFFFFF81000000, 0xFFFFFFFF81000020]
    assert sum(read) == 1 and len(read) == 3
