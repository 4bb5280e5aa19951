# SPDX-License-Identifier: GPL-2.0-only
"""A running experiment as others see it: its state, its values, a page that fills in and ends with the report."""

import html
import json
import os
import re
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from kassay.effects.lock import holder, locked
from kassay.journal import artifacts
from kassay.journal.directory import started
from kassay.journal.journal import append, read_lines
from kassay.model.host import Host
from kassay.model.plan import Plan
from kassay.model.records import to_json
from kassay.model.run import RunRecord
from kassay.tools.watch.page import part
from kassay.tools.watch.server import Pages, server
from kassay.tools.watch.status import Watch, Watched
from tests.browser import dom, title
from tests.history.directories import keep, measured, plan_with, runs_of, stream

RELEASES = ("6.12.1", "6.17.1")
COSTS = {0: 300, 1: 671}


@pytest.fixture
def plan() -> Plan:
    return plan_with(RELEASES, repeats=2, perturb=1)


def fill(directory: Path, plan: Plan, runs: int) -> Path:
    """So many runs of each kernel."""
    return measured(directory, plan, {kernel: [cost] * runs for kernel, cost in COSTS.items()})


def watched(directory: Path) -> Watched:
    (found,) = Watch(directory).find()
    return found


def test_before_there_is_a_plan_there_is_nothing(tmp_path: Path, plan: Plan) -> None:
    watch = Watch(tmp_path / "later")
    assert watch.find() == ()
    started(tmp_path / "later", plan)
    status = watch.find()[0].status()
    assert status is not None and (status.state, status.owed, status.values) == ("stopped", 6, ())


def test_values_fill_in_while_runs_are_made(tmp_path: Path, plan: Plan) -> None:
    one = watched(fill(tmp_path, plan, 1))
    with locked(tmp_path / "lock"):
        status = one.status()
        assert status is not None and (status.state, status.owed) == ("measuring", 4)
        assert [(v.kernel, v.value, v.n) for v in status.values] == [(0, 300.0, 1), (1, 671.0, 1)]
        for kernel, cost in COSTS.items():
            keep(tmp_path, runs_of(plan, kernel)[1], cost)
        status = one.status()
        assert status is not None and status.owed == 2
        assert [(v.value, v.n, v.verdict) for v in status.values] == [(300.0, 2, ""), (671.0, 2, "regression")]
        assert status.values[1].change == pytest.approx(671 / 300 - 1)


def test_a_run_is_read_once(tmp_path: Path, plan: Plan) -> None:
    one = watched(fill(tmp_path, plan, 1))
    assert one.status() is not None
    for file in (tmp_path / "artifacts").rglob("*.zst"):
        file.unlink()
    keep(tmp_path, runs_of(plan, 0)[1], 300)
    status = one.status()
    assert status is not None and [value.n for value in status.values] == [2, 1]


def test_a_directory_that_was_started_anew_is_read_anew(tmp_path: Path, plan: Plan) -> None:
    place = tmp_path / "d"
    one = watched(fill(place, plan, 3))
    status = one.status()
    assert status is not None and status.verdict
    shutil.rmtree(place)
    assert one.status() is None
    measured(place, plan, {0: [671] * 3, 1: [300] * 3})  # the same plan and as many runs, with other values
    status = one.status()
    assert status is not None and [value.value for value in status.values] == [671, 300]
    shutil.rmtree(place)
    started(place, plan_with(RELEASES, repeats=2, perturb=0))
    status = one.status()
    assert status is not None and (status.values, status.verdict, status.owed) == ((), "", 4)


def test_a_damaged_directory_is_a_row_and_the_others_are_shown(tmp_path: Path, plan: Plan) -> None:
    for name in ("bad", "good"):
        fill(tmp_path / name, plan, 1)
    whole = (tmp_path / "bad/plan.json").read_bytes()
    (tmp_path / "bad/plan.json").write_bytes(whole[:100])
    pages = Pages(tmp_path)
    assert [(status.name, status.state, status.owed) for status in pages.statuses()] == [
        ("bad", "damaged", 0), ("good", "stopped", 4),
    ]  # fmt: skip
    assert "2 of 6 runs" in pages.part("good") and "2 of 6<" in pages.part("")
    for page in (pages.part(""), pages.whole("bad")):
        assert "Damaged" in page and "bad/plan.json: Input data was truncated" in page


def test_states_follow_one_another(tmp_path: Path, plan: Plan) -> None:
    one = watched(fill(tmp_path, plan, 2))

    def state() -> str:
        status = one.status()
        assert status is not None
        return status.state

    assert state() == "stopped"
    with locked(tmp_path / "lock"):
        assert state() == "measuring"
    for kernel, cost in COSTS.items():
        keep(tmp_path, runs_of(plan, kernel)[2], cost)
    assert state() == "measured"
    (tmp_path / "report.html").write_text("the answer")
    assert state() == "answered"


def test_failures_are_named_and_bounded_ones_are_not_owed(tmp_path: Path, plan: Plan) -> None:
    directory = fill(tmp_path, plan, 2)
    run = runs_of(plan, 1)[2]
    keep(directory, run, None)
    keep(directory, run, None, attempt=2)
    status = watched(directory).status()
    assert status is not None
    assert (status.owed, [(f.kernel, f.outcome, f.detail) for f in status.failures]) == (1, [(1, "panic", "why")] * 2)


def test_while_time_is_measured_here_nothing_is_read(tmp_path: Path) -> None:
    timed = plan_with(RELEASES, repeats=6, perturb=0, clock="tcg")
    directory = fill(tmp_path, timed, 6)
    one = watched(directory)
    with locked(tmp_path / "lock"):
        status = one.status()
        assert status is not None and status.values == () and status.values_note.startswith("Time is being measured")
    status = one.status()
    assert status is not None and [value.n for value in status.values] == [6, 6]


def test_the_holder_of_a_lock_is_found_without_taking_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert holder(path) is None
    with locked(path):
        assert holder(path) is not None
    assert path.exists() and holder(path) is None


def test_hosts_that_made_runs_stand_with_their_cells_and_their_cpu(tmp_path: Path, plan: Plan) -> None:
    directory = measured(tmp_path, plan, {})
    announced = Host(name="lab1", arch="x86_64", cpu="AMD EPYC 9124", cpus=8, memory_bytes=1 << 33, kernel="6.1.0-40",
                     program="QEMU 8.2.2", kassay="0.1.0")  # fmt: skip
    run = runs_of(plan, 0)[0]
    keep(tmp_path / "scratch", run, 300)
    (record,) = read_lines(tmp_path / "scratch" / "journal.jsonl").records(RunRecord)
    artifacts.put(directory, stream([300] * 3))
    said = artifacts.put(directory, to_json(announced))
    append(directory / "journal.jsonl", structs.replace(record, host="lab1", host_sha256=said))
    status = watched(directory).status()
    assert status is not None
    assert [(host.host, host.cpu, host.program, host.ok) for host in status.hosts] == [
        ("lab1", "AMD EPYC 9124", "QEMU 8.2.2", 1)
    ]
    assert [cell.hosts for cell in status.counts.cells] == [("lab1",), ()]
    shown = part([status], ".", listed=False)
    assert "AMD EPYC 9124" in shown and '<span class="small">lab1</span>' in shown


def test_a_host_has_the_start_of_its_newest_run_however_many_others_followed(tmp_path: Path) -> None:
    plan = plan_with(RELEASES, repeats=14)
    directory = measured(tmp_path, plan, {})
    for number, run in enumerate(runs_of(plan, 0)[:14]):
        keep(directory, run, 300, host="fast" if number else "slow", started_utc=f"2026-11-21T17:{number:02}:00Z")
    status = watched(directory).status()
    assert status is not None
    assert [host.last_utc for host in status.counts.hosts] == ["2026-11-21T17:00:00Z", "2026-11-21T17:13:00Z"]
    assert "2026-11-21T17:00:00Z" in part([status], ".", listed=False).partition(">Last runs")[0]


@pytest.fixture
def address(tmp_path: Path, plan: Plan) -> Iterator[str]:
    fill(tmp_path, plan, 1)
    with server(tmp_path, 0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


def get(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_the_page_shows_cells_by_kernels(address: str) -> None:
    status, page = get(address + "/")
    assert status == 200 and "2 of 6 runs" in page and ">300<" in page and ">671<" in page
    assert get(address + "/part")[1] in page
    (one,) = json.loads(get(address + "/status.json")[1])
    assert (one["schema"], one["state"], one["owed"]) == ("kassay-status/1", "stopped", 4)


def test_a_report_that_was_written_is_shown(address: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("written")
    assert get(address + "/report?run=.") == (200, "written")


@pytest.mark.parametrize("path", ["/journal.jsonl", "/../etc/passwd", "/report?run=../x", "/report?run=/etc"])
def test_nothing_else_is_served(address: str, path: str) -> None:
    assert get(address + path)[0] == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80"])
def test_port_80_is_no_part_of_a_name(address: str, host: str) -> None:
    assert get(address + "/", Host=host)[0] == 200


@pytest.mark.parametrize("host", ["evil.example:80", "evil.example", "127.0.0.1.evil.example", "[", ""])
def test_a_name_of_another_site_is_refused(address: str, host: str) -> None:
    assert get(address + "/", Host=host)[0] == 403


def test_a_directory_of_several_is_a_list_of_them(tmp_path: Path, plan: Plan) -> None:
    for name in ("first", "second"):
        fill(tmp_path / name, plan, 1)
    with server(tmp_path, 0) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        address = f"http://127.0.0.1:{made.server_port}/"
        listed, single = get(address)[1], get(address + "?run=second")[1]
        made.shutdown()
        thread.join()
    assert "2 experiments" in listed and 'href="?run=first"' in listed
    assert "2 of 6 runs" in single and "2 experiments" not in single


def _made_while_looked_at(directory: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the remaining runs and write the report, once the browser has the first page."""
    first = Pages.whole

    def then(self: Pages, run: str) -> str:
        shown = first(self, run)
        for kernel, cost in COSTS.items():
            for left in runs_of(plan, kernel)[1:]:
                keep(directory, left, cost)
        (directory / "report.html").write_text("<title>the answer</title>")
        return shown

    monkeypatch.setattr(Pages, "whole", then)
    monkeypatch.setattr("kassay.tools.watch.server._REUSED_S", 0.0)  # the time of the browser is not that of the server


@pytest.mark.browser
def test_the_page_renews_itself_and_ends_with_the_report(
    address: str, tmp_path: Path, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    _made_while_looked_at(tmp_path, plan, monkeypatch)
    assert "<title>the answer</title>" in dom(address + "/", tmp_path)


@pytest.mark.browser
def test_a_report_is_made_where_none_was_written(address: str, tmp_path: Path) -> None:
    assert "kassay report" in dom(address + "/report", tmp_path)


_MEASURED = """
const measured = page => [page.documentElement.scrollWidth, getComputedStyle(page.body).backgroundColor];
onload = () => {
  const frames = [...document.querySelectorAll("iframe")];
  document.title = JSON.stringify(frames.map(frame => measured(frame.contentDocument)));
};
"""


@pytest.mark.browser
def test_the_page_fits_a_phone_and_has_a_night(address: str, tmp_path: Path) -> None:
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", get(address + "/")[1])
    frames = (
        f'<iframe style="border:0;width:{width}px" srcdoc="{html.escape(page)}"></iframe>' for width in (400, 1400)
    )
    text = f"<!doctype html><meta charset=utf-8>{''.join(frames)}<script>{_MEASURED}</script>"
    day, night = (title(text, tmp_path, dark=dark) for dark in (False, True))
    assert day[0][0] <= 400 and day[1][0] <= 1400
    assert day[0][1] != night[0][1]


@pytest.mark.parametrize(("counts", "times", "is_fresh"), [(1, 1, True), (3, 1, False), (1, 3, False)])
def test_a_report_is_old_where_either_directory_has_newer_runs(
    tmp_path: Path, counts: int, times: int, is_fresh: bool
) -> None:
    for path, when in (("journal.jsonl", counts), ("beside/journal.jsonl", times), ("report.html", 2)):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
        os.utime(tmp_path / path, (when, when))
    for watched in (Watched(tmp_path, "."), Watched(tmp_path / "beside", "beside")):
        assert (watched.fresh_report is not None) == is_fresh
