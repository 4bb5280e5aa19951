# SPDX-License-Identifier: GPL-2.0-only
"""Object files of the kernel's build."""

from collections.abc import Iterator
from pathlib import Path

from tests.codegen.compiled import built

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import written
from kassay.labs.codegen.objects import find_in_object, functions_of_object

_CODE = """
static int table[4];
extern int other(int);
int scan(int n) { for (int i = 0; i < n; i++) table[i & 3] += other(i); return table[0]; }
int half(int n) { return n / 2; }
"""


def _seeds(made: Path | None) -> Iterator[bytes]:
    yield built(_CODE).read_bytes()


def _run(data: bytes) -> None:
    path = written("a.o", data)
    functions_of_object(path)
    find_in_object(path, "scan")


TARGET = Target("object files", _seeds, _run, longest=1 << 11)
