# SPDX-License-Identifier: GPL-2.0-only
"""manifest.json of a bundle."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import scratch
from kassay.tools.bundle.manifest import NAME, Manifest, checked, packed_files

_LIMIT = 1 << 30


def _root() -> Path:
    root = scratch() / "bundle"
    (root / "run").mkdir(parents=True, exist_ok=True)
    (root / "run" / "plan.json").write_bytes(b"{}")
    (root / "README").write_bytes(b"a bundle\n")
    return root


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield msgspec.json.encode(Manifest(name="a", kind="run", plan="0" * 64, kassay_version="0.1.0", sources="none",
                                       files=packed_files(_root())))  # fmt: skip


def _run(data: bytes) -> None:
    root = _root()
    (root / NAME).write_bytes(data)
    checked(root, _LIMIT)


TARGET = Target("manifests of bundles", _seeds, _run)
