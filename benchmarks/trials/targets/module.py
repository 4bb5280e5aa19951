# SPDX-License-Identifier: GPL-2.0-only
"""Kernel modules."""

from collections.abc import Iterator
from pathlib import Path

from tests.kernels import fakes

from benchmarks.trials.target import Target
from kassay.supply.kernels._modules import dependencies


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield from (fakes.module(depends) for depends in ("", "zsmalloc,lzo-rle"))


def _run(data: bytes) -> None:
    dependencies(data, "module")


TARGET = Target("kernel modules", _seeds, _run, longest=1 << 13)
