# SPDX-License-Identifier: GPL-2.0-only
"""Symbol tables inside kernel images.

A kernel has more than 2000 symbols, which takes 8 ms with coverage. The tables here have 300, two markers' worth, and
the parser is told that so few may be right.
"""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from tests.kernels.test_symbols import ADDRESSES, kernel_with_table

from benchmarks.trials.target import Target
from kassay.supply.kernels import _symbols

_COUNT = 300


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield from (kernel_with_table(layout, ADDRESSES[:_COUNT]) for layout in ("6.1", "6.12", "6.17", "7.0"))


def _run(data: bytes) -> None:
    with patch.object(_symbols, "_FEWEST", _COUNT // 2):
        _symbols.decode_symbols(data)


TARGET = Target("symbol tables of kernels", _seeds, _run, longest=1 << 13)
