# SPDX-License-Identifier: GPL-2.0-only
"""Published loops of atomic operations: predicted from a stored trace of benchmarks/loops/ (`predict_loops trace`)."""

from collections.abc import Mapping
from functools import cache

import pytest
import zstandard
from benchmarks._loops import cycles_of, names, published

from kassay.labs.predict.timing import timing_for
from tests.predict.traces import RECORDED

pytestmark = pytest.mark.slow

WITHOUT_ATOMICS = ("plain_add", "thread_add")
EXPLAINED = {
    ("icelake_sp", "ticket_yield"), ("zen3", "lock_add"), ("cascadelake_sp", "lock_then_store"),
    ("cascadelake_sp", "lock_second_level"), ("emeraldrapids", "cmpxchg_load"), ("emeraldrapids", "pure_spin"),
    *(("zen3", loop) for loop in (
        "cas_add", "mutex_add", "pure_spin", "pause_spin", "yield_spin", "ticket_blocking", "queued_fifo",
        "cmpxchg_address", "cmpxchg_load", "lock_then_load", "lock_stores", "lock_second_level",
    )),
}  # fmt: skip
"""Misses that docs/results/predict-loops.md has."""


@cache
def predicted(cpu: str) -> Mapping[str, float]:
    data = zstandard.ZstdDecompressor().decompress((RECORDED / "loops-x86_64.trace.zst").read_bytes())
    return cycles_of(data, names("x86_64"), timing_for(cpu))


@pytest.mark.parametrize(
    ("cpu", "loop", "cycles"),
    [
        (one.cpu, loop, cycles)
        for one in published()
        for loop, cycles in one.measured.items()
        if one.cpu != "neoverse_n1" and loop not in WITHOUT_ATOMICS and (one.cpu, loop) not in EXPLAINED
    ],
)
def test_a_published_loop_is_predicted_within_a_tenth(cpu: str, loop: str, cycles: float) -> None:
    assert predicted(cpu)[loop] == pytest.approx(cycles, rel=0.1)


@pytest.mark.parametrize(("cpu", "lock"), [("skylake_sp", "pure_spin"), ("icelake_sp", "ticket_spin")])
def test_a_counter_by_compare_and_swap_is_slower_than_one_under_a_lock(cpu: str, lock: str) -> None:
    assert predicted(cpu)["cas_add"] > predicted(cpu)[lock]
