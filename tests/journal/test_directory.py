# SPDX-License-Identifier: GPL-2.0-only
"""A run directory holds one experiment, says so when it is another's, and is never overwritten."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.journal.directory import check_plugin, open_directory, pinned, resumed, started
from kassay.journal.journal import open_journal
from kassay.model.experiment import Experiment
from kassay.model.kernel import KernelIdentity, exact_ref, parse_ref
from kassay.model.plan import Plan
from kassay.model.records import Setting, content_id, to_json
from kassay.spec.load import dump, load, parse
from tests.analysis.plans import plan_of
from tests.history.directories import keep

# One other value for each field that an experiment can differ in.
OTHER: dict[str, object] = {
    "name": "m", "question": "ladder", "clock": "tcg", "cpus": (2,), "memory_bytes": (2 << 30,), "order": "sandwich",
    "repeats": 3, "perturb": 0, "rounds": 7, "seed": 2, "margin": 0.02, "timeout_s": 9, "retries": 0,
    "flavour": "amd64", "boot": "stock", "profile": "none", "quiesce": False, "background": 1, "control": False,
    "machine": "qemu_tcg", "on": "ssh://host", "cpu": ("zen3",),
    "nodes": 2, "thp": "never", "mthp": "4=always", "swap": "zram:64MiB",
    "memcg": "64MiB", "dirty_ratio": "10", "percpu_high_fraction": "8",
    "sched": "fifo", "paired": True, "sampled": "zoneinfo", "predict": ("zen3",), "trace_budget": 1 << 20,
    "deferred": "apart",
}  # fmt: skip


def files(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def test_a_started_directory_can_be_opened_and_resumed(tmp_path: Path) -> None:
    plan = plan_of(2)
    here = started(tmp_path / "d", plan)
    assert open_directory(tmp_path / "d") == here
    assert (here.plan, here.plan_id) == (plan, content_id(plan))
    assert resumed(tmp_path / "d", plan.experiment) == plan
    assert load(tmp_path / "d" / "spec.toml") == plan.experiment


def test_starting_again_changes_nothing(tmp_path: Path) -> None:
    first = started(tmp_path, plan_of(2))
    before = files(tmp_path)
    assert started(tmp_path, plan_of(2)) == first
    assert files(tmp_path) == before


def test_a_directory_of_several_runs_names_them(tmp_path: Path) -> None:
    for name in ("guard", "screen", "measured/0"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "plan.json").write_text("{}")
    with pytest.raises(BadInput, match="several run directories") as caught:
        open_directory(tmp_path)
    assert caught.value.remedy == "give one of guard, measured/0, screen in it"


def test_an_empty_or_missing_directory_has_no_plan_to_resume(tmp_path: Path) -> None:
    experiment = plan_of(2).experiment
    assert resumed(tmp_path, experiment) is None
    assert resumed(tmp_path / "missing", experiment) is None
    assert not (tmp_path / "missing").exists()
    for place in (tmp_path, tmp_path / "missing"):
        with pytest.raises(BadInput, match="not a run directory"):
            open_directory(place)


@pytest.mark.parametrize("field", OTHER)
def test_another_experiment_is_refused_and_the_field_is_named(tmp_path: Path, field: str) -> None:
    started(tmp_path, plan_of(2))
    before = files(tmp_path)
    other = msgspec.structs.replace(plan_of(2).experiment, **{field: OTHER[field]})
    with pytest.raises(BadInput, match=rf"another experiment \(differs in {field}\)") as caught:
        resumed(tmp_path, other)
    assert "--out" in caught.value.remedy
    assert files(tmp_path) == before


def test_every_field_that_differs_is_named(tmp_path: Path) -> None:
    started(tmp_path, plan_of(2))
    other = plan_of(3, question="ladder", rounds=7).experiment
    with pytest.raises(BadInput, match=r"differs in question, kernels, rounds\)"):
        resumed(tmp_path, other)


def test_no_field_of_an_experiment_is_left_out_above() -> None:
    # Kernels differ in the test before this one; workloads and arch come with the plan, schema is one word.
    assert {*OTHER, "kernels", "workloads", "arch", "schema"} == set(Experiment.__struct_fields__)


def test_the_same_experiment_with_another_plan_is_refused_and_what_changed_is_named(tmp_path: Path) -> None:
    plan = plan_of(2)
    started(tmp_path, plan)
    before = files(tmp_path)
    newer = msgspec.structs.replace(plan.machine, program="QEMU 99")
    with pytest.raises(BadInput, match="measured with another machine") as caught:
        started(tmp_path, msgspec.structs.replace(plan, machine=newer, runs=plan.runs[:1]))
    assert "machine and runs" in caught.value.what
    assert "--fresh" in caught.value.remedy
    assert files(tmp_path) == before


def test_times_are_not_gone_on_with_on_a_host_with_the_same_description(tmp_path: Path) -> None:
    plan = plan_of(2, clock="host")
    earlier, one, other = (
        msgspec.structs.replace(plan, machine=msgspec.structs.replace(plan.machine, clock="host", host_id=name))
        for name in (msgspec.UNSET, "1", "2")
    )
    started(tmp_path / "one", one)
    with pytest.raises(BadInput, match="another machine"):
        started(tmp_path / "one", other)
    assert started(tmp_path / "earlier", earlier) == started(tmp_path / "earlier", one)


def test_a_directory_is_not_resumed_with_another_plugin(tmp_path: Path) -> None:
    plan = msgspec.structs.replace(plan_of(2), plugin_sha256="1")
    started(tmp_path, plan)
    with pytest.raises(BadInput, match="measured with another plugin of QEMU"):
        started(tmp_path, msgspec.structs.replace(plan, plugin_sha256="2"))


def test_runs_of_an_unknown_plugin_get_no_further_ones(tmp_path: Path) -> None:
    plan = plan_of(2)
    now = msgspec.structs.replace(plan, plugin_sha256="1")
    folder = started(tmp_path, plan)
    open_journal(folder.journal, folder.plan_id)
    check_plugin(started(tmp_path, now), now)  # no runs yet
    keep(tmp_path, plan.runs[0], 1)
    with pytest.raises(BadInput, match="maybe with another plugin") as caught:
        check_plugin(started(tmp_path, now), now)
    assert "--fresh" in caught.value.remedy


@given(cut=st.integers(0, 10_000))
def test_a_plan_cut_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    place = tmp_path_factory.mktemp("d")
    data = to_json(plan_of(2))
    (place / "plan.json").write_bytes(data[: cut % len(data)])
    with pytest.raises(BadInput, match=r"plan\.json: ") as caught:
        open_directory(place)
    assert "damaged" in caught.value.remedy


@given(at=st.integers(0, 10_000), byte=st.integers(0, 127))
def test_a_plan_with_one_other_character_is_refused_or_another_plan(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    place = tmp_path_factory.mktemp("d")
    plan = plan_of(2)
    data = bytearray(to_json(plan))
    data[at % len(data)] = byte
    (place / "plan.json").write_bytes(data)
    try:
        found = open_directory(place)
    except BadInput as error:
        assert "plan.json" in error.what
    else:
        assert (found.plan == plan) == (found.plan_id == content_id(plan))


def test_a_plan_that_is_not_utf8_any_more_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(to_json(plan_of(2)).replace(b"debian:6.0", b"debian:6.\xff"))
    with pytest.raises(BadInput, match=r"plan\.json"):
        open_directory(tmp_path)


def test_a_plan_of_an_unknown_field_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(to_json(plan_of(2)).replace(b'"repeats":', b'"repeat":'))
    with pytest.raises(BadInput, match=r"\$\.experiment") as caught:
        open_directory(tmp_path)
    assert "another version of kassay" in caught.value.remedy


def versioned(plan: Plan, version: str) -> Plan:
    return msgspec.structs.replace(
        plan, kernels=tuple(msgspec.structs.replace(kernel, package_version=version) for kernel in plan.kernels)
    )


def test_a_pinned_experiment_names_package_versions_and_nothing_else_changes(tmp_path: Path) -> None:
    plan = versioned(plan_of(2), "6.17.8-1~bpo13+1")
    exact = pinned(plan)
    assert [use.ref for use in exact.kernels] == ["debian:6.17.8-1~bpo13+1"] * 2
    assert msgspec.structs.replace(exact, kernels=plan.experiment.kernels) == plan.experiment
    text = started(tmp_path, plan).pinned_spec()
    assert text == dump(exact)
    assert parse(text, "x.toml") == exact
    assert pinned(msgspec.structs.replace(plan, experiment=exact)) == exact


@pytest.mark.parametrize(
    ("ref", "version", "exact"),
    [
        ("debian:6.17", "6.17.8-1", "debian:6.17.8-1"),
        ("arm64/debian:6.17", "6.17.8-1", "arm64/debian:6.17.8-1"),
        ("debian:7.3-rc7", "7.3~rc7-1~exp1", "debian:7.3~rc7-1~exp1"),
        ("image:/k/debian:x/bzImage", None, "image:/k/debian:x/bzImage"),
        ("host", None, "host"),
    ],
)
def test_an_exact_reference_is_of_the_same_kind_and_arch(ref: str, version: str | None, exact: str) -> None:
    kernel = KernelIdentity(ref=ref, arch="x86_64", release="r", image_sha256="i", package_version=version)
    assert exact_ref(kernel) == exact
    assert parse_ref(exact).arch == parse_ref(ref).arch
    assert parse_ref(exact).kind == parse_ref(ref).kind


@pytest.mark.parametrize("ref", ["image:/boot/vmlinuz", "image:/k/debian:x/bzImage"])
def test_a_file_that_came_out_of_a_package_is_still_named_by_something_that_exists(ref: str) -> None:
    # kernels/image.py answers with the packaged identity when the store has the same image from the archive.
    kernel = KernelIdentity(ref=ref, arch="x86_64", release="r", image_sha256="i", package_version="6.17.8-1")
    assert exact_ref(kernel) in (ref, "debian:6.17.8-1")


def test_a_plan_of_an_earlier_version_has_no_kernel_parameters_and_is_resumed(tmp_path: Path) -> None:
    earlier = plan_of(2)
    now = msgspec.structs.replace(earlier, cmdlines=(Setting(name="1", value="quiet"),))
    first = started(tmp_path / "earlier", earlier)
    assert started(tmp_path / "earlier", now) == first
    started(tmp_path / "now", now)
    other = msgspec.structs.replace(earlier, cmdlines=(Setting(name="1", value="debug"),))
    with pytest.raises(BadInput, match="another kernel command line"):
        started(tmp_path / "now", other)
