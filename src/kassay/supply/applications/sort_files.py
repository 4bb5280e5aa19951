# SPDX-License-Identifier: GPL-2.0-only
"""sort(1) over a file in the page cache."""

import random
from collections.abc import Mapping

from kassay.model.application import Application

_LINES = 100_000


def _inputs() -> Mapping[str, bytes]:
    chance = random.Random(1)
    return {"words": "".join(f"{chance.getrandbits(64):016x} {number}\n" for number in range(_LINES)).encode()}


APPLICATION = Application(
    name="sort_files",
    summary=f"sort(1): {_LINES} lines of a file, in the C locale",
    uses="reads from the page cache into one buffer that grows, and writes a file",
    packages=("coreutils",),
    command=("/usr/bin/sort", "--parallel=1", "-o", "sorted", "words"),
    environment=("LC_ALL=C",),
    between=(("/bin/rm", "-f", "sorted"),),
    checks=(("/usr/bin/sort", "-c", "sorted"),),
    operations=str(_LINES),
    operation="line",
    inputs=_inputs,
)
