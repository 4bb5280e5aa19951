# SPDX-License-Identifier: GPL-2.0-only
"""Settings are complete, normal and checked all at once."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.errors import BadInput
from kassay.model.records import Setting
from kassay.model.workload import GROUPS, Parameter, Workload
from kassay.supply.arches import arch_of
from kassay.supply.guest import catalog, sources
from kassay.supply.guest.compile import build

TOY = Workload(
    describe="kassay-workload/1", name="toy", summary="s", subject="s", state="s", phases=(),
    parameters=(
        Parameter(name="size", kind="size", unit="bytes", default="8MiB", summary="s", minimum=4096, maximum=1 << 30),
        Parameter(name="tasks", kind="count", unit="tasks", default="1", summary="s", minimum=1, maximum=64),
        Parameter(name="kind", kind="choice", unit="word", default="a", summary="s", choices=("a", "b")),
    ),
)  # fmt: skip


def pairs(*given: tuple[str, str]) -> dict[str, str]:
    found = catalog.settings(TOY, tuple(Setting(name=n, value=v) for n, v in given), arch_of("x86_64"))
    assert [s.name for s in found] == ["size", "tasks", "kind"]
    return {s.name: s.value for s in found}


def test_what_is_not_given_is_the_default_in_normal_form() -> None:
    assert pairs() == {"size": "8MiB", "tasks": "1", "kind": "a"}


def test_the_same_size_in_other_words_is_the_same_setting() -> None:
    assert pairs(("size", "64MiB")) == pairs(("size", "65536K")) == pairs(("size", "67108864"))


def test_all_problems_are_told_at_once_with_what_is_known() -> None:
    with pytest.raises(BadInput) as caught:
        pairs(("size", "5"), ("kinds", "b"), ("kind", "c"), ("tasks", "65"), ("tasks", "2"), ("tasks", "many"))
    text = str(caught.value)
    for words in ("'5' is outside 4KiB .. 1GiB", "unknown parameter 'kinds'", "'c' is not one of a, b",
                  "'65' is outside 1 .. 64", "tasks is given twice", "'many' is not a whole number",
                  "size, tasks, kind"):  # fmt: skip
        assert words in text
    assert len(text.splitlines()) <= 3


@pytest.mark.parametrize("value", ["4097", "1.5MiB", "-4096", "", "2GiB", "4²"])
def test_a_size_must_be_whole_pages_in_range(value: str) -> None:
    with pytest.raises(BadInput, match="size: "):
        pairs(("size", value))


@given(st.sampled_from(("size", "tasks", "kind")), st.text(max_size=20))
def test_any_text_is_taken_or_refused_and_what_is_taken_stays_as_it_is(name: str, value: str) -> None:
    try:
        found = pairs((name, value))
    except BadInput:
        return
    assert pairs(*found.items()) == found


@pytest.mark.slow
def test_a_workload_is_built_when_it_is_looked_up_and_described_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []

    def record(name: str, arch: str) -> Path:
        built.append(name)
        return build(name, arch)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(catalog, "build", record)
    known = catalog.workloads.__wrapped__()
    assert set(known) == set(sources.workload_names()) and "calibrate" in known
    assert built == []
    assert known["calibrate"].name == "calibrate"
    assert catalog.workloads.__wrapped__()["calibrate"] == known["calibrate"]
    assert built == ["calibrate"]


def test_every_workload_of_ours_is_in_a_group_of_the_list() -> None:
    found = catalog.grouped()
    assert [group for group, _ in found] == [group for group in GROUPS if group in dict(found)]
    assert sorted(w.name for _, members in found for w in members) == sorted(sources.workload_names())


def test_a_name_of_libmicro_is_answered_with_what_to_write() -> None:
    with pytest.raises(BadInput, match="mprot_tw4m is a case of the workload mprot") as caught:
        catalog.check_name("mprot_tw4m")
    assert caught.value.remedy == "write mprot --set case=mprot_tw4m"


def test_an_unknown_workload_lists_the_known_ones() -> None:
    with pytest.raises(BadInput, match="unknown workload 'nope'") as caught:
        catalog.find({"toy": TOY}, "nope")
    assert "known: toy" in str(caught.value)
