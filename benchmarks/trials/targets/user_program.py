# SPDX-License-Identifier: GPL-2.0-only
"""A user's static program: may it run in the guest, and which functions has it?"""

from collections.abc import Iterator
from pathlib import Path

from tests.codegen.compiled import built

from benchmarks.trials.target import Target
from kassay.evidence.profile.tables import module_symbols, program_symbols
from kassay.model.program import ProgramUse
from kassay.supply.arches import arch_of
from kassay.supply.guest.program import _check
from kassay.supply.guest.program_points import functions_in

_USE = ProgramUse(path="/a/program")


def _seeds(made: Path | None) -> Iterator[bytes]:
    data = bytearray(built("int half(int n) { return n / 2; }").read_bytes())
    yield bytes(data)
    data[16:18] = (2).to_bytes(2, "little")  # ET_EXEC
    yield bytes(data)


def _run(data: bytes) -> None:
    module_symbols("a", data)
    _check(_USE, data, arch_of("x86_64"))
    functions_in(data)
    program_symbols(Path("/a/program"), data)


TARGET = Target("programs of users", _seeds, _run, longest=1 << 11)
