# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables inside kernel images."""

from collections.abc import Iterator
from pathlib import Path

from tests.kernels.test_symbols import ADDRESSES, kernel_with_table

from benchmarks.trials.target import Target
from kassay.supply.kernels._symbols import decode_symbols


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield from (kernel_with_table(layout, ADDRESSES) for layout in ("6.1", "6.12", "6.17", "7.0"))


TARGET = Target("symbol tables of kernels", _seeds, decode_symbols, longest=1 << 18)
