# SPDX-License-Identifier: GPL-2.0-only
"""A plan is the whole product, every id once, and the same whenever it is made."""

from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.experiment import ORDERS, Experiment, KernelUse, WorkloadUse
from kassay.model.kernel import KernelIdentity
from kassay.model.plan import Cell, Plan, WorkloadSettings
from kassay.model.records import Setting, content_id, from_json, to_json
from kassay.plan.expand import expand
from tests.analysis.plans import WORKLOAD, plan_input, plan_of

Input = tuple[Experiment, tuple[KernelIdentity, ...], tuple[WorkloadSettings, ...]]

# Few names, so that the same kernel often stands on several sides.
kernel_names = st.lists(st.sampled_from(("6.12", "6.16", "6.17")), min_size=2, max_size=4)
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True)


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    """Arguments of expand(): an experiment, its kernels, and the points of the workload matrix."""
    names = draw(kernel_names)
    points = tuple(("w", (Setting(name="size", value=f"{size}MiB"),)) for size in draw(sizes))
    experiment = Experiment(
        name="n", question="ladder", kernels=tuple(KernelUse(ref=f"debian:{name}") for name in names),
        workloads=(WorkloadUse(name="w"),), order=draw(st.sampled_from(ORDERS)), seed=draw(st.integers(0, 99)),
        cpus=tuple(draw(sizes)), memory_bytes=tuple(n << 30 for n in draw(sizes)),
        repeats=draw(st.integers(1, 4)), perturb=draw(st.integers(0, 3)),
    )  # fmt: skip
    identities = tuple(KernelIdentity(ref=f"debian:{n}", arch="x86_64", release=n, image_sha256=n) for n in names)
    return experiment, identities, points


def plan(given_: Input) -> Plan:
    experiment, kernels, points = given_
    return expand(experiment, plan_input(kernels, points, guest_sha256=(Setting(name="w", value="0" * 64),)))


@given(inputs())
def test_cells_are_kernels_times_settings_times_machines(given_: Input) -> None:
    experiment, kernels, points = given_
    cells = plan(given_).cells
    assert Counter((c.kernel, c.settings, c.machine.cpus, c.machine.memory_bytes) for c in cells) == Counter(
        (kernel, settings, cpus, memory)
        for kernel in range(len(kernels))
        for _, settings in points
        for cpus in experiment.cpus
        for memory in experiment.memory_bytes
    )


@given(inputs())
def test_every_id_is_there_once_also_for_one_kernel_on_two_sides(given_: Input) -> None:
    made = plan(given_)
    assert len({cell.id for cell in made.cells}) == len(made.cells)
    assert len({run.id for run in made.runs}) == len(made.runs)
    assert {run.cell for run in made.runs} == {cell.id for cell in made.cells}


@given(inputs())
def test_cells_to_be_compared_share_a_key_and_nothing_else_does(given_: Input) -> None:
    keys: dict[str, list[int]] = {}
    points: dict[str, set[object]] = {}
    for cell in plan(given_).cells:
        keys.setdefault(cell.setting_key, []).append(cell.kernel)
        points.setdefault(cell.setting_key, set()).add((cell.workload, cell.settings, cell.machine))
    assert all(kernels == list(range(len(given_[1]))) for kernels in keys.values())
    assert all(len(different) == 1 for different in points.values())


@given(inputs())
def test_the_same_input_gives_the_same_plan_to_the_byte(given_: Input) -> None:
    assert to_json(plan(given_)) == to_json(plan(given_))


@given(inputs())
def test_a_plan_survives_being_written_and_read(given_: Input) -> None:
    made = plan(given_)
    again = from_json(to_json(made), Plan)
    assert again == made
    assert (to_json(again), content_id(again)) == (to_json(made), content_id(made))


@given(inputs())
def test_runs_come_block_by_block(given_: Input) -> None:
    assert all(first.block <= second.block for first, second in pairwise(plan(given_).runs))


@given(inputs())
def test_every_cell_has_its_plain_and_its_perturbed_runs(given_: Input) -> None:
    experiment, made = given_[0], plan(given_)
    for cell in made.cells:
        runs = sorted((run for run in made.runs if run.cell == cell.id), key=lambda run: run.repeat)
        assert [run.repeat for run in runs] == list(range(experiment.repeats + experiment.perturb))
        plain = [0] * experiment.repeats
        assert [run.perturbation.number for run in runs] == plain + list(range(1, experiment.perturb + 1))


@given(inputs())
def test_the_first_kernel_of_a_block_is_not_always_the_first_kernel(given_: Input) -> None:
    made = plan(given_)
    kernel_of = {cell.id: cell.kernel for cell in made.cells}
    blocks: dict[int, list[int]] = {}
    for run in made.runs:
        blocks.setdefault(run.block, []).append(kernel_of[run.cell])
    for members in blocks.values():
        expected = 1 if given_[0].order == "sequential" else len(given_[1])
        assert len(set(members)) == expected


def test_perturbed_runs_are_counted_and_differ_from_plain_ones() -> None:
    runs = plan_of(3, question="ladder", repeats=2, perturb=4).runs
    assert len(runs) == 3 * (2 + 4)
    moved = [run.perturbation for run in runs if run.perturbation.number]
    assert len(moved) == len(set(moved)) == 3 * 4
    assert {run.perturbation for run in runs if run.repeat < 2} == {type(moved[0])()}


def test_a_kernel_parameter_or_another_image_makes_another_cell() -> None:
    def ids(cmdline: str = "", image: str | None = "1" * 64) -> tuple[str, ...]:
        uses = (KernelUse(ref="debian:6.12"), KernelUse(ref="debian:6.12", cmdline=cmdline))
        experiment = Experiment(name="n", question="compare", kernels=uses, workloads=(WorkloadUse(name="w"),))
        kernels = tuple(
            KernelIdentity(ref="debian:6.12", arch="x86_64", release="6.12.1", image_sha256=sha)
            for sha in ("0" * 64, image)
        )
        return tuple(cell.id for cell in plan((experiment, kernels, (("w", ()),))).cells)

    for other in (ids(cmdline="a=b"), ids(image="2" * 64), ids(image=None)):
        assert other[0] == ids()[0]
        assert other[1] != ids()[1]


def test_a_run_keeps_its_id_when_more_repeats_are_asked_for() -> None:
    few, many = ({run.id for run in plan_of(2, repeats=n, perturb=0).runs} for n in (2, 5))
    assert few < many


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_changes_the_sequence_and_not_the_runs(order: str) -> None:
    one, other = plan_of(3, order=order), plan_of(3, order="interleaved")
    assert {(r.id, r.perturbation) for r in one.runs} == {(r.id, r.perturbation) for r in other.runs}
    assert one.cells == other.cells


def cells_of(**changed: object) -> tuple[Cell, ...]:
    made = plan_of(2)
    experiment = msgspec.structs.replace(made.experiment, **changed)
    points = (("w", (Setting(name="size", value="1MiB"),)),)
    return expand(experiment, plan_input(made.kernels, points)).cells


def test_cpus_by_name_are_an_axis_and_a_kernel_may_have_its_own() -> None:
    plain, several = cells_of(), cells_of(cpu=("zen2", "zen3"))
    assert [cell.machine.cpu for cell in several] == ["zen2", "zen2", "zen3", "zen3"]
    assert not {cell.id for cell in plain} & {cell.id for cell in several}
    uses = plan_of(2).experiment.kernels
    own = cells_of(kernels=(uses[0], msgspec.structs.replace(uses[1], cpu="zen3")))
    assert [cell.cpu for cell in own] == ["", "zen3"]
    assert own[0].setting_key == own[1].setting_key == plain[0].setting_key  # still one comparison
    assert own[0].id == plain[0].id and own[1].id != plain[1].id


def test_paired_cpus_and_memory_make_no_product() -> None:
    sizes = {"cpus": (1, 2, 8), "memory_bytes": (1 << 30, 1 << 30, 2 << 30)}
    machines = [(cell.machine.cpus, cell.machine.memory_bytes) for cell in cells_of(**sizes, paired=True)]
    assert machines[::2] == [(1, 1 << 30), (2, 1 << 30), (8, 2 << 30)]


def test_what_is_chosen_of_the_machine_is_in_every_cell_and_in_its_key() -> None:
    plain = cells_of()
    for changed in (
        {"nodes": 2},
        {"thp": "never"},
        {"swap": "zram:1GiB"},
        {"memcg": "64MiB"},
        {"dirty_ratio": "10"},
        {"sched": "fifo"},
        {"sampled": "zoneinfo"},
    ):
        made = cells_of(**changed)
        assert made[0].setting_key != plain[0].setting_key
        (chosen,) = made[0].machine.chosen
        assert {chosen.name: chosen.value} == {name: str(value) for name, value in changed.items()}


def test_a_workload_that_needs_two_nodes_has_them_without_being_asked() -> None:
    made = plan_of(2)
    points = (("w", (Setting(name="size", value="1MiB"),)),)
    numa = msgspec.structs.replace(WORKLOAD, nodes=2)
    given_ = plan_input(made.kernels, points, workloads=(numa,))
    found = expand(made.experiment, given_).cells
    assert {cell.machine.nodes for cell in found} == {2}
    native = msgspec.structs.replace(made.experiment, clock="host")
    assert expand(native, given_).cells[0].machine.nodes == 1
