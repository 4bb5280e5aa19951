# SPDX-License-Identifier: GPL-2.0-only
"""Recorded guests through policies: two real ones, and small ones made by hand."""

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from kassay.errors import BadInput
from kassay.labs.pcp.model.replayed import PcpReplay
from kassay.labs.pcp.observed import observed
from kassay.labs.pcp.replay import Asked, config, own_policy, replay
from kassay.labs.pcp.report.replayed import REPLAYED, verdict
from kassay.model.progress import silent
from kassay.tools.recording.pages import EVENT, Kind, PageTrace, read_pages, write_pages
from kassay.tools.recording.recorded import About, page_trace
from tests.recording.written import Happened, written

DATA = Path(__file__).parent.parent / "data" / "pages"
OLD, NEW = DATA / "handover-6.12.pages.zst", DATA / "handover-7.3.pages.zst"
"""page_handover sockets=4 on two CPUs, 60 rounds: blocks of order 3 that the other CPU frees."""
POLICIES = ("auto", "auto_7_3")


@pytest.fixture(scope="module")
def answer() -> PcpReplay:
    return replay((OLD, NEW), Asked(POLICIES), silent)


def test_each_kernels_own_policy_moves_the_very_pages_that_its_guest_moved(answer: PcpReplay) -> None:
    for trace, policy in zip(answer.traces, POLICIES, strict=True):
        (own,) = (one for one in trace.policies if one.policy == policy)
        assert trace.own == policy
        assert own.totals == trace.guest.totals
        assert own.errors.moved == 0.0
        assert own.errors.high is not None and own.errors.high < 0.01


def test_the_verdict_counts_the_traces_that_have_errors(answer: PcpReplay) -> None:
    first, second = answer.traces
    idle = tuple(
        msgspec.structs.replace(one, errors=msgspec.structs.replace(one.errors, moved=None)) for one in second.policies
    )
    one_idle = msgspec.structs.replace(answer, traces=(first, msgspec.structs.replace(second, policies=idle)))
    assert verdict(answer).startswith("2 traces by the policy")
    assert verdict(one_idle).startswith("1 trace by the policy")


def test_the_other_kernels_policy_is_far_from_it(answer: PcpReplay) -> None:
    for trace in answer.traces:
        (other,) = (one for one in trace.policies if one.policy != trace.own)
        assert other.errors.moved is not None and abs(other.errors.moved) > 0.5


def test_the_guests_counts_are_explained_by_its_events_to_the_page(answer: PcpReplay) -> None:
    for trace in answer.traces:
        assert trace.guest.unexplained_pages == 0
        assert trace.guest.totals.refilled_pages > 5000
        assert trace.guest.totals.high_order_drained > 2000


def test_the_range_of_high_is_that_of_all_samples(answer: PcpReplay) -> None:
    for trace in answer.traces:
        sides = [(trace.guest.samples, trace.guest.high), *((one.samples, one.high) for one in trace.policies)]
        for samples, high in sides:
            highs = sorted(sample.high for sample in samples)
            assert high is not None and (high.least, high.most) == (highs[0], highs[-1])
            assert high.least < high.most


def test_what_another_zone_drains_is_not_the_main_zones(tmp_path: Path) -> None:
    """A smaller zone behind the main one, whose blocks of order 3 come and go, and whose list the worker shortens."""
    trace = read_pages(OLD)
    main, last = trace.main_zone, int(trace.events["time_ns"][-1])
    pages, start = main.spanned // 4, main.start_pfn + main.spanned
    zone = msgspec.structs.replace(
        main, number=2, name="Normal", start_pfn=start, spanned=pages, managed=pages, free=pages
    )
    states = [msgspec.structs.replace(one, zone=2, count=0) for one in trace.states if one.zone == main.number]
    added = [(last, kind << 4 | 3, 0, 0, start + 8 * n) for kind in (Kind.ALLOC, Kind.FREE) for n in range(4000)]
    added += [(last, Kind.WORKER << 4, 0, 0, start)] * 9
    changed = replace(
        trace, zones=(*trace.zones, zone), states=(*trace.states, *states),
        events=np.concatenate([trace.events, np.array(added, EVENT)]),
    )  # fmt: skip
    write_pages(tmp_path / "zones", changed)
    (replayed,) = replay((tmp_path / "zones",), Asked(), silent).traces
    own, guest = replayed.policies[0].totals, replayed.guest.totals
    assert own.high_order_drained == guest.high_order_drained
    assert own.decay_pages <= own.drained_pages - guest.drained_pages


def test_the_moments_at_which_kswapd_was_woken_are_counted(tmp_path: Path) -> None:
    trace = read_pages(OLD)
    first, start = int(trace.events["time_ns"][0]), trace.main_zone.start_pfn
    added = [(first, Kind.RECLAIM << 4 | begins, 0, 0, start) for begins in (1, 0, 1)]
    events = np.concatenate([np.array(added, EVENT), trace.events])
    write_pages(tmp_path / "woken", replace(trace, events=events))
    (without,), (replayed,) = (replay((path,), Asked(), silent).traces for path in (OLD, tmp_path / "woken"))
    assert (without.guest.reclaims, replayed.guest.reclaims) == (0, 2)
    (own,), (calm,) = replayed.policies, without.policies
    assert own.totals.drained_pages > calm.totals.drained_pages, "the policy drains while reclaim is active"


def test_without_what_the_trace_shows_of_each_list_the_error_is_larger() -> None:
    (trace,) = replay((OLD,), Asked(by_list=False), silent).traces
    (own,) = trace.policies
    assert own.errors.moved is not None and 0.01 < own.errors.moved < 0.2


@pytest.mark.parametrize(
    ("release", "policy"),
    (("6.1.0-56-cloud-amd64", "fixed"), ("6.6.1", "fixed"), ("6.7-rc1", "auto"), ("6.12.117", "auto"),
     ("6.16.12", "auto_6_18"), ("6.18.15", "auto_6_18"), ("6.19.14", "auto_7_3"),
     ("7.3.4+deb13-cloud-amd64", "auto_7_3")),
)  # fmt: skip
def test_the_policy_of_a_release(release: str, policy: str) -> None:
    assert own_policy(release) == policy


@pytest.fixture
def made() -> PageTrace:
    events = [Happened(2000, "kmem/mm_page_alloc", (5120, 0, 0, 1)), Happened(3000, "kmem/mm_page_free", (9000, 2))]
    drains = [
        Happened(4000, "kmem/mm_page_pcpu_drain", (9000, 2, 1)),
        Happened(4001, "kmem/mm_page_pcpu_drain", (7, 0, 1)),
    ]
    about = About("debian:6.12", "6.12.117", "x86_64", "page_fault", 4096, 1 << 30, 5)
    return page_trace(written([events, drains], counts=(10, 20)), about)


def test_the_models_zone_is_the_guests_with_watermarks_for_all_of_its_pages(made: PageTrace) -> None:
    found = config(made, "auto", Asked(run={"free_high_batch": 0}))
    (zone,) = found.zones
    free = 258048 - 30 - 4  # all but what the lists and the trace hold
    assert (zone["start"], zone["pages"], zone["batch"]) == (4096, 258048, 63)
    assert zone["low_watermark"] - 1000 == free - 226424 == zone["high_watermark"] - 1200
    assert (zone["high_min"], zone["high_max"]) == (500, 12_500)
    assert found.run["free_high_batch"] == 0 and found.run["vmstat_ns"] == 0
    # of CPU 0's ten pages one is movable, as it was taken; nothing is known of the others, on a list without a refill
    assert [(s.blocks, s.order, s.type) for s in found.pcps if s.cpu == 0] == [(1, 0, 1), (9, 0, 2)]


def test_a_policy_of_the_other_kind_has_the_limits_of_its_own_kind() -> None:
    old = page_trace(written([[]]), About("debian:6.1", "6.1.192", "x86_64", "page_fault", 4096, 1 << 30, 5))
    (fixed,), (tuned,) = config(old, "fixed", Asked()).zones, config(old, "auto", Asked()).zones
    assert (fixed["high_min"], fixed["high_max"]) == (500, 500)
    assert (tuned["high_min"], tuned["high_max"]) == (1000, 25_000)


def test_a_fixed_policy_begins_with_the_high_that_it_always_has(made: PageTrace) -> None:
    raised = PageTrace(**{**vars(made), "states": tuple(msgspec.structs.replace(s, high=700) for s in made.states)})
    assert {state.high for state in config(raised, "fixed", Asked()).pcps} == {500}
    assert {state.high for state in config(raised, "auto", Asked()).pcps} == {700}


def test_what_the_guest_did_is_only_of_the_main_zone(made: PageTrace) -> None:
    found = observed(made)
    assert (found.totals.drained_pages, found.totals.high_order_drained) == (4, 4)  # page 7 is of no zone
    assert found.totals.refills == 0


def test_a_trace_that_lost_events_is_refused(tmp_path: Path) -> None:
    about = About("debian:6.12", "6.12.117", "x86_64", "page_fault", 4096, 1 << 30, 5)
    write_pages(
        tmp_path / "lost.pages",
        page_trace(written([[Happened(2000, "kmem/mm_page_free", (9000, 0))]], dropped=7), about),
    )
    with pytest.raises(BadInput, match=r"lost\.pages: the guest had no room for 7 events"):
        replay((tmp_path / "lost.pages",), Asked(), silent)


def test_a_trace_whose_events_do_not_explain_the_lists_is_refused(tmp_path: Path) -> None:
    about = About("debian:7.3", "7.3.4", "x86_64", "vmalloc_cycle", 4096, 1 << 30, 5)
    frees = [Happened(2000 + n, "kmem/mm_page_free", (9000 + n, 0)) for n in range(100)]
    write_pages(tmp_path / "a.pages", page_trace(written([frees], counts=(10,), looks=(9000,)), about))
    with pytest.raises(BadInput, match=r"lists have 100 pages more or fewer"):
        replay((tmp_path / "a.pages",), Asked(), silent)


def test_a_trace_without_events_and_an_unknown_parameter_or_policy_are_refused(tmp_path: Path) -> None:
    about = About("debian:6.12", "6.12.117", "x86_64", "page_fault", 4096, 1 << 30, 5)
    write_pages(tmp_path / "none.pages", page_trace(written([[]]), about))
    with pytest.raises(BadInput, match="without events"):
        replay((tmp_path / "none.pages",), Asked(), silent)
    with pytest.raises(BadInput, match="no parameter"):
        replay((OLD,), Asked(run={"nonsense": 1}), silent)
    with pytest.raises(BadInput, match="unknown policy"):
        replay((OLD,), Asked(("nonsense",)), silent)


def test_every_form_says_how_far_the_policies_are(answer: PcpReplay) -> None:
    text = REPLAYED.form("terminal").render(answer)
    assert max(map(len, text.splitlines())) <= 120
    assert "predicted to within 0.00 %" in text.replace("\n  ", " ")
    page = REPLAYED.form("html").render(answer)
    assert page.count("<svg") >= 4 and "auto_7_3: high" in page
    assert msgspec.json.decode(REPLAYED.form("json").render(answer), type=PcpReplay) == answer
