# SPDX-License-Identifier: GPL-2.0-only
"""A step is found once, confirmed, narrowed, taken back, seen again; what people decided stays."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kassay.labs.site.turn.steps_file import Entry, read
from kassay.model.progress import Progress
from kassay.tools.history.nominations import nominations
from kassay.tools.history.records import Nomination
from tests.site.laboratory import Laboratory

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tiny_suite")]  # files of a database
ONE = 'archive = "all"\nsuites = ["one"]\n'
STEP = "x86_64/page_fault/6.16.9-6.17.2"


@pytest.fixture
def laboratory(tmp_path: Path) -> Laboratory:
    (tmp_path / "ext" / "suites" / "one.toml").write_text('summary = "s"\nworkloads = ["page_fault"]\n')
    return Laboratory(tmp_path / "lab", {"6.12.1-1": 30, "6.16.9-1": 30, "6.17.2-1": 60}, ONE)


def steps(laboratory: Laboratory) -> dict[str, Entry]:
    return {entry.id: entry for entry in read(Path(laboratory.lab.steps))}


def grown(laboratory: Laboratory, version: str, cost: int) -> None:
    laboratory.costs[version] = cost
    laboratory.offered.append(version)
    laboratory.turn()


def edited(laboratory: Laboratory, before: str, after: str) -> None:
    path = Path(laboratory.lab.steps)
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def test_a_release_between_the_two_narrows_the_step(laboratory: Laboratory) -> None:
    laboratory.between_ = ["6.16.12-1", "6.17.1-1"]
    laboratory.costs |= {"6.16.12-1": 30, "6.17.1-1": 60}
    laboratory.turn()
    assert structs.astuple(steps(laboratory)[STEP])[5:8] == (
        "narrowed",
        "",
        "6.17.1 has it, 6.16.12 has not, the archive has none between them",
    )
    (draft,) = Path(laboratory.lab.outbox).iterdir()
    said = " ".join(draft.read_text().split())
    assert "A search between the two: 6.17.1 has it, 6.16.12 has not, the archive has none between them." in said
    assert "only whole kernels were measured" in said and "nothing was bisected" not in said
    assert "#regzbot introduced: v6.16..v6.17 (found by bisection)" in said
    made = len(laboratory.made)
    laboratory.turn()
    assert len(laboratory.made) == made
    (site,) = laboratory.sites[-1:]
    assert [k.key for k in site.kernels] == ["6.12.1", "6.16.9", "6.16.12", "6.17.1", "6.17.2"]


@pytest.mark.parametrize("between", [[], ["6.16.12-1"]])
def test_a_draft_names_the_page_of_its_step(laboratory: Laboratory, between: list[str]) -> None:
    laboratory.file.write_text(f'{ONE}address = "https://example.org/kassay"\n')
    laboratory.between_ = between
    laboratory.costs |= {"6.16.12-1": 30}
    laboratory.turn()
    (draft,) = Path(laboratory.lab.outbox).iterdir()
    said = " ".join(draft.read_text().split())
    assert "with its evidence: https://example.org/kassay/step/page_fault/6.16.9-6.17.2/" in said
    assert ("A search between the two: 6.17.2 has it, 6.16.12 has not" in said) == bool(between)


def test_a_release_that_is_left_out_narrows_nothing(laboratory: Laboratory) -> None:
    laboratory.file.write_text(laboratory.file.read_text() + 'leave_out = ["6.17.1-1"]\n')
    laboratory.between_ = ["6.16.12-1", "6.17.1-1"]
    laboratory.costs |= {"6.16.12-1": 30, "6.17.1-1": 60}
    laboratory.turn()
    assert steps(laboratory)[STEP].text == "6.17.2 has it, 6.16.12 has not, 6.17.1 between them not measured"
    assert not any(version == "6.17.1-1" for version, _ in laboratory.made)


def test_a_release_of_another_compiler_is_told(laboratory: Laboratory) -> None:
    laboratory.compilers["6.17.1-1"] = "gcc (Debian 16.2.0-1) 16.2.0"
    laboratory.between_ = ["6.16.12-1", "6.17.1-1"]
    laboratory.costs |= {"6.16.12-1": 30, "6.17.1-1": 60}
    laboratory.turn()
    doubt = ", but their compilers differ (gcc 12, then gcc 16.2.0) and may be the reason"
    assert steps(laboratory)[STEP].text.endswith(doubt)


def test_a_step_that_a_fresh_pair_does_not_show_is_not_confirmed(laboratory: Laboratory) -> None:
    def cheaper(event: Progress) -> None:
        if event.text == "a fresh pair":
            laboratory.costs["6.17.2-1"] = 30

    laboratory.on_event = cheaper
    laboratory.turn()
    assert (steps(laboratory)[STEP].state, steps(laboratory)[STEP].text[:10]) == ("not confirmed", "equivalent")
    assert not Path(laboratory.lab.outbox).exists()


def test_a_step_is_confirmed_although_the_kernels_around_it_moved_the_other_way(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opposite(*arguments: Any) -> list[Nomination]:
        return [structs.replace(one, change=-one.change) for one in nominations(*arguments)]

    monkeypatch.setattr("kassay.labs.site.turn.changes.nominations", opposite)
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "confirmed"


def test_a_kernel_that_is_gone_when_a_step_is_confirmed_is_named(laboratory: Laboratory) -> None:
    def gone(event: Progress) -> None:
        if event.text == "a fresh pair":
            laboratory.costs["6.17.2-1"] = "no longer on the mirror"

    laboratory.on_event = gone
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "undecided"
    assert "no longer on the mirror" in steps(laboratory)[STEP].text


def test_without_network_a_step_is_confirmed_in_a_later_turn(laboratory: Laboratory) -> None:
    def away(event: Progress) -> None:
        if event.text == "a fresh pair":
            laboratory.costs["6.17.2-1"] = "no network"

    laboratory.on_event = away
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "found" and len(laboratory.sites) == 1
    laboratory.on_event = lambda _: None
    laboratory.costs["6.17.2-1"] = 60
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "confirmed"


def test_without_network_a_step_is_narrowed_in_a_later_turn(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = ["2026-11-26T00:00:00Z"]
    monkeypatch.setattr("kassay.effects.clock.utc_now", lambda: now[-1])
    laboratory.between_ = ["6.17.1-1"]
    laboratory.costs["6.17.1-1"] = "no network"
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "confirmed" and len(laboratory.sites) == 1
    laboratory.costs["6.17.1-1"] = 60
    now.append("2026-11-26T02:00:00Z")
    laboratory.turn()
    assert steps(laboratory)[STEP].text == "6.17.1 has it, 6.16.9 has not, the archive has none between them"


def test_a_step_that_another_place_confirmed_is_narrowed(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = ["2026-11-26T00:00:00Z"]
    monkeypatch.setattr("kassay.effects.clock.utc_now", lambda: now[-1])
    laboratory.turn()
    assert steps(laboratory)[STEP].state == "confirmed"
    shutil.rmtree(Path(laboratory.lab.runs, "confirm"))
    laboratory.between_ = ["6.17.1-1"]
    laboratory.costs["6.17.1-1"] = 60
    now.append("2026-11-28T00:00:00Z")
    laboratory.turn()
    assert steps(laboratory)[STEP].text == "6.17.1 has it, 6.16.9 has not, the archive has none between them"


def test_a_kernel_between_two_others_nominates_no_step_twice(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.16.12-1", 30)
    grown(laboratory, "6.17.1-1", 60)
    assert list(steps(laboratory)) == [STEP]


def test_an_opposite_change_is_a_step_of_its_own_and_proposes_fixed(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.18.5-1", 30)
    found = steps(laboratory)
    assert found["x86_64/page_fault/6.17.2-6.18.5"].state == "confirmed"
    assert found[STEP].state == "confirmed"
    assert found[STEP].text.endswith("6.18.5 takes it back")
    before = Path(laboratory.lab.steps).read_bytes()
    laboratory.turn()
    assert Path(laboratory.lab.steps).read_bytes() == before


def test_a_drop_from_a_value_that_a_later_step_raised_takes_back_that_step_alone(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.18.5-1", 160)
    grown(laboratory, "6.19.3-1", 100)
    found = steps(laboratory)
    assert "it back" not in found[STEP].text
    assert found["x86_64/page_fault/6.17.2-6.18.5"].text.endswith("6.19.3 takes 60 % of it back")


def test_wrong_words_about_a_later_kernel_are_corrected_while_the_step_is_kassays(laboratory: Laboratory) -> None:
    laboratory.turn()
    text = steps(laboratory)[STEP].text
    edited(laboratory, f'text = "{text}"', f'text = "{text}; 6.18.5 takes it back"')
    grown(laboratory, "6.18.5-1", 57)
    assert steps(laboratory)[STEP].text == text


def test_a_small_improvement_takes_nothing_back(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.18.5-1", 57)
    assert "takes it back" not in steps(laboratory)[STEP].text


def test_a_fixed_step_that_is_there_again_is_a_new_one_that_names_it(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.18.5-1", 30)
    edited(laboratory, 'state = "confirmed"', 'state = "fixed"')
    before = {name: entry for name, entry in steps(laboratory).items() if entry.state == "fixed"}
    grown(laboratory, "6.19.3-1", 60)
    found = steps(laboratory)
    again = found["x86_64/page_fault/6.18.5-6.19.3"]
    assert again.state == "back" and f"{STEP} was fixed and is there again" in again.text
    assert {name: found[name] for name in before} == before


def test_another_change_of_the_row_is_not_the_old_one_again(laboratory: Laboratory) -> None:
    laboratory.turn()
    grown(laboratory, "6.18.5-1", 30)
    edited(laboratory, 'state = "confirmed"', 'state = "fixed"')
    grown(laboratory, "6.19.3-1", 33)
    assert steps(laboratory)["x86_64/page_fault/6.18.5-6.19.3"].state == "confirmed"


@pytest.mark.parametrize("state", ["reported", "accepted", "fixed"])
def test_what_people_decided_stays_to_the_byte(laboratory: Laboratory, state: str) -> None:
    laboratory.turn()
    edited(laboratory, 'state = "confirmed"', f'state = "{state}"  # by A. Developer\nlink = "https://example.org/"')
    path = Path(laboratory.lab.steps)
    before = path.read_text()
    laboratory.between_ = ["6.17.1-1"]
    laboratory.costs["6.17.1-1"] = 60
    grown(laboratory, "6.18.5-1", 30)
    assert path.read_text().startswith(before)
    step = next(s for s in laboratory.sites[-1].steps if (s.before, s.after) == ("6.16.9", "6.17.2"))
    assert (step.life, step.link) == (state, "https://example.org/")


def test_a_person_who_takes_a_step_while_it_is_measured_wins(laboratory: Laboratory) -> None:
    def person(event: Progress) -> None:
        if event.text == "a fresh pair":
            edited(laboratory, 'state = "found"', 'state = "accepted"\nlink = "l"')

    laboratory.on_event = person
    laboratory.turn()
    assert (steps(laboratory)[STEP].state, steps(laboratory)[STEP].link) == ("accepted", "l")


def test_a_draft_that_was_edited_is_not_overwritten(laboratory: Laboratory) -> None:
    laboratory.turn()
    (draft,) = Path(laboratory.lab.outbox).iterdir()
    assert "2.00x the instructions" in " ".join(draft.read_text().split())
    draft.write_text("Hello\n")
    laboratory.between_ = ["6.16.12-1"]
    laboratory.costs |= {"6.16.12-1": 30}
    edited(laboratory, 'state = "confirmed"', 'state = "found"')
    laboratory.turn()
    assert draft.read_text() == "Hello\n"
    (bundle,) = Path(laboratory.lab.site, "bundle").iterdir()
    assert laboratory.sites[-1].steps[0].bundle == bundle.name == "x86_64_page_fault_6.16.9-6.17.2.tar.zst"
    assert laboratory.sites[-1].steps[0].mail == "Hello\n"
