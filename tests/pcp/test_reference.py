# SPDX-License-Identifier: GPL-2.0-only
"""Does the simulator do what the reference model does, on any page events, under every policy?"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kassay.labs.pcp.engine import Config, run
from tests.pcp.configs import ZONE, config
from tests.pcp.events import ALLOC, FREE, RECLAIM, VMSTAT, Event, reference, write
from tests.pcp.reference_machine import counted
from tests.pcp.reference_policies import REFERENCE

pytestmark = pytest.mark.slow  # seconds for the whole file

CPUS = 3
ORDERS = (0, 0, 0, 0, 1, 2, 3, 3, 5, 9)


@st.composite
def configs(draw: st.DrawFn, policy: str) -> Config:
    """Two small zones, whose pages run out now and then."""
    zones = []
    for start in (512, 8192):
        high_min = draw(st.integers(0, 80))
        low = draw(st.integers(0, 300))
        zones.append(
            {
                **ZONE, "start": start, "pages": draw(st.sampled_from((700, 2048, 4096))),
                "used": draw(st.sampled_from((0, 3))), "batch": draw(st.sampled_from((1, 3, 7, 31))),
                "high_min": high_min, "high_max": high_min + draw(st.sampled_from((0, 50, 700))),
                "low_watermark": low, "high_watermark": low + draw(st.integers(0, 300)),
            }
        )  # fmt: skip
    made = config(
        policy, cpus=CPUS, vmstat_ns=0, sample_ns=0, check_every=10, batch_scale_max=draw(st.integers(0, 5)),
        free_high_batch=draw(st.integers(0, 1)), decay_shift=draw(st.integers(0, 6)),
    )  # fmt: skip
    return Config(policy, made.run, tuple(zones))


@st.composite
def events(draw: st.DrawFn) -> list[Event]:
    """Runs of allocations and frees, by any CPU, with the worker and reclaim between them."""
    made: list[Event] = []
    owned: list[tuple[int, int]] = []
    time, next_page = 0, {0: 512, 1: 8192}
    for _ in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from((ALLOC, ALLOC, ALLOC, FREE, FREE, VMSTAT, RECLAIM)))
        cpu, zone = draw(st.integers(0, CPUS - 1)), draw(st.integers(0, 1))
        order, type_ = draw(st.sampled_from(ORDERS)), draw(st.sampled_from((0, 1, 1, 2)))
        length = draw(st.integers(1, 120)) if kind in (ALLOC, FREE) else 1
        newest = draw(st.booleans())
        for _ in range(length):
            time += draw(st.sampled_from((0, 100))) if length < 5 else 50
            pfn = next_page[zone] + (1 << order) - 1 & ~((1 << order) - 1)
            if kind == ALLOC and pfn + (1 << order) <= (512 + 700, 8192 + 700)[zone]:
                next_page[zone] = pfn + (1 << order)
                owned.append((pfn, order))
                made.append(Event(time, kind, cpu, pfn, order, type_))
            elif kind == FREE and owned:
                pfn, order = owned.pop(-1 if newest else 0)
                made.append(Event(time, kind, cpu, pfn, order, type_))
            elif kind not in (ALLOC, FREE):
                made.append(Event(time, kind, cpu, (512, 8192)[zone], order & 1))
    return made


@pytest.mark.parametrize("policy", REFERENCE)
@settings(max_examples=settings().max_examples // 4, phases=(Phase.generate,))  # minutes, to find a smaller one
@given(data=st.data())
def test_the_simulator_and_the_reference_agree(policy: str, data: st.DataObject) -> None:
    setup, given_events = data.draw(configs(policy)), data.draw(events())
    expected = reference(setup, given_events)
    with tempfile.TemporaryDirectory() as scratch:
        found = run(setup, write(Path(scratch) / "pages", given_events))
    assert {name: found.counters[name] for name in counted(expected)} == dict(counted(expected))
    pcps = [(pcp.count, pcp.high) for row in expected.pcps for pcp in row]
    assert [(pcp.count, pcp.high) for pcp in found.pcps] == pcps
    assert list(found.free) == [zone.buddy.free() for zone in expected.zones]
