# SPDX-License-Identifier: GPL-2.0-only
"""Answers from stored costs are those that the call paths give; what the costs do not decide is not answered."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.labs.notice.applications import _verdict
from kassay.labs.notice.cost import cost_of
from kassay.labs.notice.finding import Looked
from kassay.labs.notice.from_atlas import _bounds, _verdict_of, from_atlas
from kassay.labs.notice.kernels import Kernel, Wanted
from kassay.labs.notice.model import Noticed, Subject
from kassay.labs.notice.paths import KernelPath, KernelPaths
from kassay.labs.notice.subject import Sought, named
from kassay.model.experiment import Axis, KernelUse, WorkloadUse
from kassay.model.progress import silent
from kassay.tools.atlas.read import reading_atlas
from kassay.tools.atlas.records import AtlasCost
from kassay.tools.history.records import Batch
from tests.atlas.histories import Costs, costs_batch, history

NAMES = ("f", "g", "h", "k")
ways = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5)
sides = st.dictionaries(ways.map(tuple), st.integers(0, 400).map(float), max_size=8)


def paths_of(costs: Mapping[tuple[str, ...], float]) -> KernelPaths:
    """Call paths below one system call, of an operation of 1000 instructions."""
    made = tuple(
        KernelPath("mprotect", ("do_syscall_64", "__x64_sys_mprotect", *way), 1, cost) for way, cost in costs.items()
    )
    return KernelPaths(made, {}, 1000.0)


def stored(costs: Mapping[tuple[str, ...], float]) -> dict[str, AtlasCost]:
    """The same as the atlas has it: by function alone."""
    own = {name: sum(cost for way, cost in costs.items() if way[-1] == name) for name in NAMES}
    whole = {name: sum(cost for way, cost in costs.items() if name in way) for name in NAMES}
    return {name: AtlasCost(own[name], whole[name], 1.0) for name in NAMES if whole[name]}


@given(base=sides, head=sides, whole=st.sets(st.sampled_from(NAMES), min_size=1), alone=st.sets(st.sampled_from(NAMES)))
def test_the_cost_of_the_paths_lies_within_the_bounds_and_has_the_same_verdict(
    base: dict[tuple[str, ...], float], head: dict[tuple[str, ...], float], whole: set[str], alone: set[str]
) -> None:
    sought = Sought(frozenset(whole), frozenset(alone - whole))
    measured = cost_of(sought, paths_of(base), paths_of(head))
    assert measured.head is not None
    bounds = [_bounds(sought, stored(side)) for side in (base, head)]
    for cost, limits in zip((measured.base, measured.head), bounds, strict=True):
        assert limits is not None and limits[0] - 1e-9 <= cost <= limits[1] + 1e-9
    (least_base, most_base), (least_head, most_head) = filter(None, bounds)
    decided = _verdict_of((least_head - most_base) / 1000, (most_head - least_base) / 1000)
    share = (measured.head - measured.base) / 1000
    assert decided in ("", _verdict(measured._replace(base=1.0), share))
    if len(sought.whole) == 1 and not sought.alone:
        assert decided and measured.base == pytest.approx(most_base)


def looked(*functions: str, head: bool = True, whole: bool = True, workload: str = "", **changes: object) -> Looked:
    labels = ("debian:6.16", "debian:6.17")[: 1 + head]
    kernels = [Kernel(label, KernelUse(ref=label, **changes)) for label in labels]  # type: ignore[arg-type]
    sought = named(functions) if whole else Sought(frozenset(), frozenset(functions))
    wanted = Wanted(kernels[0], kernels[1] if head else None)
    return Looked(wanted, sought, Subject(workload=workload, base=labels[0], head=labels[-1], functions=()))


def answered(
    place: Path, about: Looked, *batches: Batch, uses: Sequence[WorkloadUse] = (WorkloadUse(name="w"),),
    locators: Sequence[str] = ("6.16.12-1", "6.17.13-1"),
) -> tuple[Noticed, ...]:  # fmt: skip
    with reading_atlas(silent, [history(place / "h", *batches)]) as atlas:
        return from_atlas(about, uses, atlas, "x86_64", locators[: len(about.wanted.all)])


def pair(base: Mapping[str, tuple[float, float | None]], head: Mapping[str, tuple[float, float | None]]) -> Costs:
    return {"6.16.12": base, "6.17.13": head}


@pytest.mark.slow
def test_one_function_has_an_exact_answer_with_its_origin(tmp_path: Path) -> None:
    costs = pair({"f": (10, 50)}, {"f": (20, 60)})
    (found,) = answered(tmp_path, looked("f"), costs_batch(costs, values=(1000, 1020), verdict="regression"))
    assert (found.verdict, found.share, found.bounds, found.overlap) == ("noticed", 0.01, None, False)
    assert (found.base_value, found.head_value, found.evidence, found.floor) == (1000, 1020, "exact", 0.001)
    assert [(f.function, f.base, f.head, f.base_calls) for f in found.functions] == [("f", 50, 60, 1)]
    assert found.origin is not None and found.directory == ""
    assert found.origin.kernels == ("debian:6.16.12-1", "debian:6.17.13-1")
    assert (found.origin.runs, found.origin.dates, found.origin.emulator) == ((2, 2), ("2026-11-21",) * 2, "QEMU 7.2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [
        ({"f": (5, 20), "g": (10, 10)}, {"f": (5, 90), "g": (80, 80)}, "noticed"),
        ({"f": (1, 3), "g": (1, 1)}, {"f": (1, 4), "g": (2, 2)}, "below"),
        ({"f": (10, 100), "g": (10, 100)}, {"f": (10, 104), "g": (10, 104)}, None),
        ({"f": (10, None), "g": (10, 10)}, {"f": (90, 90), "g": (90, 90)}, None),
    ],
)
def test_several_functions_are_answered_where_both_ends_agree(
    tmp_path: Path, base: dict[str, tuple[float, float | None]], head: dict[str, tuple[float, float | None]],
    verdict: str | None,
) -> None:  # fmt: skip
    found = answered(tmp_path, looked("f", "g"), costs_batch(pair(base, head)))
    assert [one.verdict for one in found] == ([verdict] if verdict else [])
    for one in found:
        assert one.share is None and one.overlap and one.bounds is not None and one.bounds[0] < one.bounds[1]


@pytest.mark.slow
def test_a_named_function_that_one_kernel_lacks_is_not_answered(tmp_path: Path) -> None:
    """It was inlined there, so its cost is in its caller's, or nothing executes it: the costs do not tell which."""
    batch = costs_batch(pair({"g": (10, 50)}, {"f": (20, 60)}))
    assert answered(tmp_path / "a", looked("f"), batch) == ()
    (found,) = answered(tmp_path / "b", looked("f", "g", workload="w"), batch)  # of a finding, which has it on one side
    assert found.verdict == "noticed"


@pytest.mark.slow
def test_kernels_that_nobody_compared_are_not_answered(tmp_path: Path) -> None:
    costs = pair({"f": (10, 50)}, {"f": (20, 60)})
    assert answered(tmp_path, looked("f"), costs_batch(costs, verdict="")) == ()


@pytest.mark.slow
def test_functions_that_count_alone_add_up(tmp_path: Path) -> None:
    costs = pair({"f": (10, None), "g": (20, None)}, {"f": (13, None), "g": (21, None)})
    (found,) = answered(tmp_path, looked("f", "g", whole=False), costs_batch(costs))
    assert (found.verdict, found.share) == ("below", 0.004)


@pytest.mark.slow
def test_who_executes_it_on_one_kernel_and_who_does_not(tmp_path: Path) -> None:
    known = costs_batch({"6.16.12": {"f": (10, 50)}}, values=(1000,))
    other = costs_batch({"6.16.12": {"x": (10, 50)}}, "v", values=(1000,))
    uses = (WorkloadUse(name="w"), WorkloadUse(name="v"))
    found = answered(tmp_path, looked("f", head=False), known, other, uses=uses)
    assert [(one.application, one.verdict, one.share) for one in found] == [
        ("w", "executed", None), ("v", "unexecuted", None),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_refused_comparison_has_its_reason_and_no_verdict(tmp_path: Path) -> None:
    costs = pair({"f": (10, 50)}, {"f": (20, 60)})
    (found,) = answered(tmp_path, looked("f"), costs_batch(costs, verdict="state-mismatch"))
    assert (found.verdict, found.problem) == ("unknown", "state-mismatch: the reason")


COSTS = pair({"f": (10, 50)}, {"f": (20, 60)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("about", "locators"),
    [
        (looked("f"), ("6.16.12-1", "6.17.14-1")),
        (looked("f"), ("6.16.12-1", "")),
        (looked("f", "inlined"), ("6.16.12-1", "6.17.13-1")),
        (looked("f", cmdline="nokaslr"), ("6.16.12-1", "6.17.13-1")),
        (looked("f")._replace(entry_code=frozenset({"f"})), ("6.16.12-1", "6.17.13-1")),
    ],
)
def test_other_kernels_unknown_functions_and_entry_code_are_not_answered(
    tmp_path: Path, about: Looked, locators: tuple[str, str]
) -> None:
    assert answered(tmp_path, about, costs_batch(COSTS), locators=locators) == ()


@pytest.mark.slow
def test_a_kernel_is_known_by_its_image(tmp_path: Path) -> None:
    def with_image(release: str) -> Kernel:
        return Kernel("mine", KernelUse(ref="debian:6"), f"image {release}")

    about = looked("f")._replace(wanted=Wanted(with_image("6.16.12"), with_image("6.17.13")))
    assert len(answered(tmp_path, about, costs_batch(COSTS), locators=("", ""))) == 1
    about = about._replace(wanted=Wanted(with_image("6.16.12"), with_image("7.0")))
    assert answered(tmp_path, about, costs_batch(COSTS), locators=("", "6.17.13-1")) == ()


@pytest.mark.slow
def test_every_setting_of_a_use_must_be_there(tmp_path: Path) -> None:
    batches = [costs_batch(COSTS), costs_batch(COSTS, settings={"size": "2MiB"})]

    def settings(*values: str) -> list[str]:
        use = WorkloadUse(name="w", axes=(Axis(name="size", values=values),) if values else ())
        (tmp_path / "h").unlink(missing_ok=True)
        return sorted(one.settings[0].value for one in answered(tmp_path, looked("f"), *batches, uses=(use,)))

    assert settings() == ["8MiB"] and settings("2MiB", "8MiB") == ["2MiB", "8MiB"] and settings("2MiB", "4MiB") == []


@pytest.mark.slow
def test_a_use_is_answered_at_all_its_settings_or_at_none(tmp_path: Path) -> None:
    open_ = pair({"f": (10, 100), "g": (10, 100)}, {"f": (10, 104), "g": (10, 104)})
    decided = pair({"f": (1, 3), "g": (1, 1)}, {"f": (1, 4), "g": (2, 2)})
    batches = (costs_batch(open_), costs_batch(decided, settings={"size": "2MiB"}))
    both = WorkloadUse(name="w", axes=(Axis(name="size", values=("2MiB", "8MiB")),))
    one = WorkloadUse(name="w", axes=(Axis(name="size", values=("2MiB",)),))
    assert answered(tmp_path, looked("f", "g"), *batches, uses=(both,)) == ()
    assert len(answered(tmp_path, looked("f", "g"), *batches, uses=(one,))) == 1


@pytest.mark.slow
def test_a_workload_with_other_parameters_is_another_one(tmp_path: Path) -> None:
    other = costs_batch(COSTS, settings={"size": "8MiB", "added": "later"})
    assert answered(tmp_path, looked("f"), other) == ()
