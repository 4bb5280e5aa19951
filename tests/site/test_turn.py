# SPDX-License-Identifier: GPL-2.0-only
"""A turn measures what is missing and nothing twice, goes on after a kill, and never stops at one bad kernel."""

import shutil
from pathlib import Path

import pytest
from msgspec import structs

from kassay.effects import clock
from kassay.effects.lock import locked
from kassay.errors import HostLacks
from kassay.labs.site.commands._lab_answer import words
from kassay.labs.site.turn import status as status_file
from kassay.labs.site.turn.measuring import Budget, Spent
from kassay.labs.site.turn.steps_file import read
from kassay.labs.site.turn.turn import planned
from kassay.model.progress import Progress
from kassay.tools.history.add import add
from kassay.tools.history.archive import TABLES, VIEWS, Archive, reading
from kassay.tools.history.records import Batch
from tests.site.conftest import use_tiny_suite
from tests.site.laboratory import Killed, Laboratory

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tiny_suite")]  # files of a database
OLD, MIDDLE, NEW, NEWEST = "6.12.1-1", "6.16.9-1", "6.17.2-1", "6.18.5-1"
COSTS = {OLD: 30, MIDDLE: 30, NEW: 60}


@pytest.fixture
def laboratory(tmp_path: Path) -> Laboratory:
    return Laboratory(tmp_path / "lab", COSTS)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Laboratory:
    """A laboratory after its first turn; not to be changed."""
    place = tmp_path_factory.mktemp("first")
    with pytest.MonkeyPatch.context() as patched:
        use_tiny_suite(place, patched)
        laboratory = Laboratory(place / "lab", COSTS)
        laboratory.turn()
    return laboratory


@pytest.fixture
def later(first: Laboratory, tmp_path: Path) -> Laboratory:
    """A copy of it."""
    copy = Laboratory(shutil.copytree(first.file.parent, tmp_path / "lab"), COSTS)
    copy.made, copy.sites, copy.told = list(first.made), list(first.sites), list(first.told)
    return copy


def lives(laboratory: Laboratory) -> list[tuple[str, str]]:
    return [(entry.id, entry.state) for entry in read(Path(laboratory.lab.steps))]


CONFIRMED = [("x86_64/mprotect_toggle/6.16.9-6.17.2", "confirmed"), ("x86_64/page_fault/6.16.9-6.17.2", "confirmed")]


def test_a_first_turn_measures_each_kernel_once_and_confirms_by_fresh_pairs(laboratory: Laboratory) -> None:
    turned = laboratory.turn()
    assert turned.measured == (
        "x86_64: 6.16.9-1 to 6.17.2-1, suite tiny",
        "x86_64: 6.12.1-1 to 6.16.9-1, suite tiny",
    )
    assert (turned.missing, turned.found, turned.confirmed, turned.notes) == ((), 2, 2, ())
    runs = {version: sum(made == version for made, _ in laboratory.made) for version in COSTS}
    assert runs == {OLD: 8, MIDDLE: 16, NEW: 16}  # two workloads, four runs each, and as many again to confirm
    assert lives(laboratory) == CONFIRMED
    (site,) = laboratory.sites
    assert [(s.series, s.life) for s in site.steps if s.verdict == "regression"] == [
        ("page_fault", "confirmed"),
        ("mprotect_toggle", "confirmed"),
    ]
    assert all("Subject: [PERF]" in step.mail for step in site.steps if step.life)
    assert site.status.turn_utc and not site.status.queue


def test_a_second_turn_measures_nothing_and_says_so(later: Laboratory) -> None:
    made, drafts = list(later.made), _drafts(later)
    path = Path(later.lab.status)
    status_file.write(path, structs.replace(status_file.read(path), turn_utc=""))
    turned = later.turn()
    assert (turned.measured, turned.missing, turned.found, turned.confirmed) == ((), (), 0, 0)
    assert later.made == made
    assert _drafts(later) == drafts
    assert planned(later.lab, later.outside) == ("nothing is missing",)
    assert status_file.read(path).turn_utc
    assert list(words(turned)) == ["measured nothing: no pair is missing"]


def _drafts(laboratory: Laboratory) -> dict[str, str]:
    return {path.name: path.read_text() for path in Path(laboratory.lab.outbox).iterdir()}


def test_a_new_kernel_needs_only_its_own_runs(later: Laboratory) -> None:
    later.made.clear()
    later.costs[NEWEST] = 60
    later.offered.append(NEWEST)
    assert planned(later.lab, later.outside)[0].startswith("x86_64: 6.17.2-1 to 6.18.5-1, suite tiny: 8 runs")
    later.turn()
    assert {version for version, _ in later.made} == {NEWEST}
    assert len(later.made) == 8


def test_a_suite_that_grew_has_its_new_workloads_measured_on_finished_pairs(later: Laboratory, tmp_path: Path) -> None:
    known, steps = list(later.made), lives(later)
    suite = tmp_path / "ext" / "suites" / "tiny.toml"
    suite.write_text('summary = "s"\nworkloads = ["page_fault", "folio_fork", "mprotect_toggle"]\n')
    assert planned(later.lab, later.outside)[0] == (
        "x86_64: 6.16.9-1 to 6.17.2-1, suite tiny, 1 workload more: 8 runs, about 0 s"
    )
    turned = later.turn()
    assert turned.measured == (
        "x86_64: 6.16.9-1 to 6.17.2-1, suite tiny, 1 workload more",
        "x86_64: 6.12.1-1 to 6.16.9-1, suite tiny, 1 workload more",
    )
    fork = "x86_64/folio_fork/6.16.9-6.17.2", "confirmed"
    assert lives(later) == [fork, *steps]
    made = later.made[len(known) :]
    assert {workload for _, workload in made} == {"folio_fork"} and len(made) == 12 + 8  # 8 to confirm
    assert later.turn().measured == ()
    suite.write_text('summary = "s"\nworkloads = ["page_fault"]\n')
    assert later.turn().measured == ()


def test_a_kernel_that_left_the_archive_stays_a_column(later: Laboratory) -> None:
    later.offered = [OLD, MIDDLE, NEWEST]
    later.costs[NEWEST] = 60
    turned = later.turn()
    assert turned.measured == ("x86_64: 6.17.2-1 to 6.18.5-1, suite tiny",)


def test_without_the_archive_a_turn_says_so_and_works_on_what_it_has(later: Laboratory) -> None:
    later.away = True
    turned = later.turn()
    assert turned.notes == ("the archive is away",)
    assert turned.measured == () and len(later.sites) == 2


@pytest.mark.parametrize(("cost", "why", "again"), [
    ("no network", "no network", "2026-11-26T01:00:00Z"), (None, "panic: why", "2026-11-27T00:00:00Z"),
])  # fmt: skip
def test_a_bad_kernel_is_left_out_for_a_time_and_the_turn_goes_on(
    laboratory: Laboratory, cost: str | None, why: str, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = ["2026-11-26T00:00:00Z"]
    monkeypatch.setattr("kassay.effects.clock.utc_now", lambda: now[-1])
    laboratory.costs[NEW] = cost
    turned = laboratory.turn()
    assert turned.measured == ("x86_64: 6.12.1-1 to 6.16.9-1, suite tiny",)
    assert turned.notes == (f"debian:6.17.2-1: {why}",)
    assert laboratory.sites[-1].status.failed == (("x86_64/debian:6.17.2-1", f"debian:6.17.2-1: {why}"),)
    made = list(laboratory.made)
    now.append(again.replace("00:00Z", "59:59Z").replace("T01", "T00").replace("27T00", "26T23"))
    assert laboratory.turn().notes == () and laboratory.made == made
    now.append(again)
    laboratory.costs[NEW] = 60
    assert laboratory.turn().measured == ("x86_64: 6.16.9-1 to 6.17.2-1, suite tiny",)
    assert {one.kind for one in status_file.read(Path(laboratory.lab.status)).failures} == {"step"}


def test_neighbours_of_a_bad_kernel_are_compared_meanwhile(laboratory: Laboratory) -> None:
    laboratory.costs[MIDDLE] = "not on the mirror"
    assert laboratory.turn().measured == ("x86_64: 6.12.1-1 to 6.17.2-1, suite tiny",)


def test_a_kernel_that_does_not_boot_has_one_run_a_day(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    now = ["2026-11-26T00:00:00Z"]
    monkeypatch.setattr("kassay.effects.clock.utc_now", lambda: now[-1])
    laboratory.costs[NEW] = None
    for day in ("26", "27", "28"):
        now.append(f"2026-11-{day}T02:00:00Z")
        laboratory.made.clear()
        assert laboratory.turn().notes == ("debian:6.17.2-1: panic: why",)
        assert [version for version, _ in laboratory.made].count(NEW) == 1


def test_a_kill_before_the_run_of_a_boot_check_skips_no_check(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    laboratory.costs, laboratory.offered = {NEW: None, NEWEST: 60}, [NEW, NEWEST]

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr("tests.site.laboratory.with_reused", kill)
        laboratory.turn()
    assert Path(laboratory.lab.runs, "x86_64", "tiny", "boot", NEW, "plan.json").is_file()
    assert laboratory.turn().notes == ("debian:6.17.2-1: panic: why",)
    assert laboratory.made == [(NEW, "page_fault")]


def test_the_budget_ends_a_turn_between_runs_and_the_next_goes_on(laboratory: Laboratory) -> None:
    turned = laboratory.turn(budget_s=0)
    assert turned.spent and len(turned.missing) == 2 and laboratory.made == []
    kept = "the budget is used up; every finished run is kept, and the next turn goes on"
    assert list(words(turned)) == ["still missing: 2 pairs", kept]

    def at_the_fifth_run(event: Progress) -> None:
        if event.stage == "run" and len(laboratory.made) == 5:
            raise Killed

    laboratory.on_event = at_the_fifth_run
    with pytest.raises(Killed):
        laboratory.turn()
    laboratory.on_event = lambda _: None
    assert "6.16.9-1 to 6.17.2-1, suite tiny: 11 runs" in planned(laboratory.lab, laboratory.outside)[0]
    laboratory.turn()
    assert len([one for one in laboratory.made if one[0] == OLD]) == 8
    assert lives(laboratory) == CONFIRMED


def test_the_end_of_the_budget_is_raised_once() -> None:
    told: list[str] = []
    tell = Budget(0).telling(lambda event: told.append(event.text))
    tell(Progress(stage="run", subject="", text="begun", passing=True))
    with pytest.raises(Spent):
        tell(Progress(stage="run", subject="", text="first"))
    tell(Progress(stage="run", subject="", text="ended meanwhile"))
    assert told == ["begun", "first", "ended meanwhile"]


def test_after_a_kill_at_any_boundary_the_next_turn_ends_as_one_turn_would(tmp_path: Path) -> None:
    """Boundaries are the events that are no runs: before and after each fetch, pair, addition, confirmation, site.

    A kill leaves the files as they are. So a copy of them at each event of one turn is what the next turn finds. Events
    between which no file changes have one copy.
    """
    whole = Laboratory(tmp_path / "whole", COSTS)
    killed: list[tuple[Laboratory, str]] = []
    copied: dict[Path, bytes] = {}

    def copy(event: Progress) -> None:
        now = {path: path.read_bytes() for path in (tmp_path / "whole").rglob("*") if path.is_file()}
        if event.stage in ("run", "read") or now == copied:
            return
        copied.clear()
        copied.update(now)
        place = shutil.copytree(tmp_path / "whole", tmp_path / f"killed-{len(killed)}")
        left = Laboratory(place, COSTS)
        left.made = list(whole.made)
        killed.append((left, f"{event.stage}: {event.subject} {event.text}"))

    whole.on_event = copy
    whole.turn()
    assert len(killed) >= 10
    for laboratory, boundary in killed:
        laboratory.turn()
        assert sorted(laboratory.made) == sorted(whole.made), boundary
        assert lives(laboratory) == lives(whole), boundary
        assert _contents(laboratory) == _contents(whole), boundary


def _contents(laboratory: Laboratory) -> list[object]:
    with reading(Path(laboratory.lab.history)) as archive:
        return [
            archive.rows("SELECT kernel, value, n, all_runs FROM t_points ORDER BY ALL"),
            archive.rows("SELECT base, head, verdict, evidence FROM t_comparisons ORDER BY ALL"),
            archive.rows("SELECT DISTINCT nomination, outcome FROM t_confirmations ORDER BY ALL"),
        ]


def test_a_second_laboratory_on_one_directory_is_refused_with_the_process(laboratory: Laboratory) -> None:
    with locked(Path(laboratory.lab.runs, "lab.lock")), pytest.raises(HostLacks, match=r"in use .*process \d+"):
        laboratory.turn()
    assert laboratory.made == []


def test_the_history_of_an_older_kassay_is_taken_over(laboratory: Laboratory) -> None:
    import duckdb

    connection = duckdb.connect(laboratory.lab.history)
    for statement in (*TABLES.split(";"), *VIEWS.split(";"), "INSERT INTO about VALUES ('schema', 'kassay-history/1')"):
        if statement.strip():
            connection.execute(statement)
    connection.close()
    laboratory.turn()
    assert lives(laboratory) == CONFIRMED


def test_a_lost_history_is_made_again_from_the_runs(later: Laboratory) -> None:
    Path(later.lab.history).unlink()
    made = list(later.made)
    later.turn()
    assert later.made == made
    first, second = later.sites
    assert len(first.steps) == len(second.steps)
    assert lives(later) == CONFIRMED


def test_a_kill_while_a_lost_history_is_made_again_loses_no_kernel(
    later: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _comparisons(later)
    Path(later.lab.history).unlink()
    left = iter(range(1))

    def kill(archive: Archive, batch: Batch) -> object:
        if next(left, None) is None:
            raise Killed
        return add(archive, batch)

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr("kassay.labs.site.turn.turn.add", kill)
        later.turn()
    later.turn()
    assert _comparisons(later) == before
    assert [path.name for path in later.file.parent.glob("*.part*")] == []


def test_a_damaged_directory_is_a_note_when_a_lost_history_is_made_again(later: Laboratory) -> None:
    Path(later.lab.history).unlink()
    damaged = Path(later.lab.runs, "x86_64", "tiny", "6.12.1-1..6.16.9-1", "journal.jsonl")
    damaged.write_bytes(b"garbage\n")
    turned = later.turn()
    assert [note for note in turned.notes if note.startswith(f"not in the history that was made again: {damaged}")]
    assert len(_comparisons(later)) == 2


def _comparisons(laboratory: Laboratory) -> list[object]:
    with reading(Path(laboratory.lab.history)) as archive:
        return [*archive.rows("SELECT base, head, verdict, evidence FROM t_comparisons ORDER BY ALL")]


def test_a_narrowing_that_failed_is_remembered_when_the_budget_ends_at_the_next_step(
    laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, ahead = clock.monotonic_s, [0.0]
    monkeypatch.setattr("kassay.effects.clock.monotonic_s", lambda: now() + ahead[-1])

    def use_up(event: Progress) -> None:
        if event.text == "narrowing":
            ahead.append(ahead[-1] + 7200)

    laboratory.on_event = use_up
    for left_out in (1, 2):
        assert laboratory.turn().spent == (left_out == 1)
        kept = [one.kind for one in status_file.read(Path(laboratory.lab.status)).failures]
        assert kept == ["step"] * left_out


def test_a_lost_status_file_measures_nothing_again(later: Laboratory) -> None:
    Path(later.lab.status).unlink()
    made, before = list(later.made), _contents(later)
    later.turn()
    assert later.made == made
    assert _contents(later) == before


def test_runs_of_other_guest_programs_are_moved_aside_and_kept(laboratory: Laboratory) -> None:
    def kill(event: Progress) -> None:
        if event.stage == "run" and len(laboratory.made) == 12:
            raise Killed

    laboratory.on_event = kill
    with pytest.raises(Killed):
        laboratory.turn()
    laboratory.on_event = lambda _: None
    directory = Path(laboratory.lab.runs, "x86_64", "tiny", "6.16.9-1..6.17.2-1")
    laboratory.programs = "2"
    before = (directory / "journal.jsonl").read_bytes()
    laboratory.turn()
    kept = directory.parent / "superseded" / "6.16.9-1..6.17.2-1.1"
    assert (kept / "journal.jsonl").read_bytes() == before
    assert lives(laboratory) == CONFIRMED


def test_a_full_disk_ends_the_turn_and_leaves_the_site(laboratory: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(directory: Path, data: bytes) -> str:
        raise HostLacks(f"{directory}: the disk is full") from OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("kassay.journal.artifacts.put", full)
        with pytest.raises(HostLacks, match="the disk is full"):
            laboratory.turn()
    assert laboratory.sites == []
    assert status_file.read(Path(laboratory.lab.status)).failures == ()
    laboratory.turn()
    assert lives(laboratory) == CONFIRMED
