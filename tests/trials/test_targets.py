# SPDX-License-Identifier: GPL-2.0-only
"""Each fuzzing target reads or refuses its seeds, changes of them, and every input that was once a find."""

from pathlib import Path
from random import Random

import pytest
import zstandard
from benchmarks.trials.target import Target, attempt, names, target_of

from kassay.errors import BadInput, Defect

pytestmark = pytest.mark.slow  # seconds for the whole file

FINDS = Path(__file__).parent.parent / "data" / "finds"
CHANGES = 200
SLOW = {
    "mail": 4, "symbols": 10, "recording": 20, "import_lkp_mail": 40, "library": 20, "guest_stream": 30,
    "user_program": 60, "timing": 60, "procfs": 60, "elf_object": 60, "import_framework_csv": 80,
}  # fmt: skip
"""Changes of targets whose parser is slow."""
PIECES = (b"", b"\0", b"\xff", b"-1", b"9" * 30, b'"', b"\n", b"[", b"\x80\x80\x80\x80\x80")


def changed(data: bytes, random: Random) -> bytes:
    """The input with one to three pieces cut out, put in or replaced."""
    for _ in range(random.randint(1, 3)):
        at, gone = random.randint(0, len(data)), random.choice((0, 1, 4, 60))
        data = data[:at] + random.choice(PIECES) + data[at + gone :]
    return data


@pytest.mark.parametrize("name", names())
def test_seeds_and_their_changes_are_read_or_refused(name: str) -> None:
    target, random = target_of(name), Random(name)
    seeds = [seed for seed in target.seeds(None) if len(seed) <= target.longest]
    assert seeds
    inputs = [*seeds[:20], *(changed(random.choice(seeds), random) for _ in range(SLOW.get(name, CHANGES)))]
    assert [(repr(error), data) for data in inputs if (error := attempt(target, data))] == []


@pytest.mark.parametrize("name", sorted({path.name.rpartition("-")[0] for path in FINDS.iterdir()}))
def test_what_was_once_a_find_is_read_or_refused(name: str) -> None:
    inputs = [zstandard.ZstdDecompressor().decompress(path.read_bytes()) for path in FINDS.glob(f"{name}-*")]
    assert [repr(error) for data in inputs if (error := attempt(target_of(name), data))] == []


@pytest.mark.parametrize("error", [ValueError("x"), MemoryError(), RecursionError(), Defect("x")])
def test_an_exception_that_is_not_documented_is_a_find(error: Exception) -> None:
    def run(data: bytes) -> None:
        raise error

    assert attempt(Target("texts", lambda _: (), run), b"") is error


def test_a_refusal_is_no_find() -> None:
    def run(data: bytes) -> None:
        raise BadInput("not a text", "give a text")

    assert attempt(Target("texts", lambda _: (), run), b"") is None
