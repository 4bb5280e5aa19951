# SPDX-License-Identifier: GPL-2.0-only
"""Is a machine brought home from what a killed kassay left there, and is one that another kassay uses left alone?"""

import contextlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

from kassay.errors import HostLacks
from kassay.supply.machines import Visit
from kassay.supply.machines._metal.facts import facts
from kassay.supply.machines._metal.visit import NOTE, this_boot
from tests.machines.fake_host import ID, OWN, FakeHost, job, runs, session

OTHER = "ba9876543210"
ELSEWHERE = "elsewhere aboot 77"


@pytest.fixture
def killed(host: FakeHost, visit: Visit) -> Iterator[None]:
    """The machine as a kassay leaves it that was killed in the first run of a visit."""
    ended = session(visit)
    ended.__enter__().run(job(visit, 0), "x86_64")
    host.calls.clear()
    yield
    with contextlib.suppress(HostLacks):
        ended.__exit__(None, None, None)


def leave_session(host: FakeHost, name: str, owner: str) -> None:
    """The machine on a kernel of an experiment that another kassay has begun."""
    host.files |= {
        f"/var/tmp/kassay-{name}/owner": owner.encode(),
        f"/var/tmp/kassay-{name}/found": host._inspect().encode(),
    }
    host.banner, host.cmdline = "Linux version 6.99 (gcc) #1", f"kassay.session={name} kassay.run=x"


def is_as_found(host: FakeHost, visit: Visit) -> bool:
    return (host.banner, host.files) == (OWN, {}) and not Path(visit.directory, NOTE).exists()


def test_after_it_was_started_by_hand_the_next_call_brings_it_home(host: FakeHost, visit: Visit) -> None:
    host.ends[visit.kernels[1].image_sha256] = "dead"
    with pytest.raises(HostLacks):
        runs(visit, 1)
    host.reset()
    runs(visit)
    assert is_as_found(host, visit)


@pytest.mark.usefixtures("killed")
def test_session_of_a_killed_kassay_is_resumed_from_its_notes(host: FakeHost, visit: Visit) -> None:
    host.cmdline += " further"  # what was found is what was noted, not what is there now
    runs(visit)
    assert host.calls[0] == ("inspect",)
    assert is_as_found(host, visit)


@pytest.mark.usefixtures("killed")
@pytest.mark.parametrize("lost", ["found", "note"])
def test_either_note_brings_the_machine_home(host: FakeHost, visit: Visit, lost: str) -> None:
    if lost == "note":
        Path(visit.directory, NOTE).unlink()
    else:
        del host.files[f"/var/tmp/kassay-{ID}/found"]
    assert [one.outcome for one in runs(visit, 1)] == [""]
    assert is_as_found(host, visit)


@pytest.mark.usefixtures("killed")
def test_machine_is_home_before_it_is_refused(host: FakeHost, visit: Visit) -> None:
    host.facts["busy"] = "198"
    with pytest.raises(HostLacks, match="other programs use it"):
        runs(visit, 1)
    assert host.banner == OWN
    host.facts.clear()
    runs(visit)
    assert is_as_found(host, visit)


@pytest.mark.usefixtures("killed")
def test_machine_that_has_just_booted_gets_time_to_become_quiet(
    host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.facts["busy"] = "198"
    answers = iter(range(9))
    inspect = host._inspect

    def settles() -> str:
        if next(answers, 9) > 4:
            host.facts.clear()
        return inspect()

    monkeypatch.setattr(host, "_inspect", settles)
    assert [one.outcome for one in runs(visit, 1)] == [""]


@pytest.mark.usefixtures("killed")
def test_room_of_the_experiment_itself_is_not_asked_for_again(host: FakeHost, visit: Visit) -> None:
    host.facts["free_kb"], host.held_kb = "800000", 300000
    assert [one.outcome for one in runs(visit, 1)] == [""]
    host.held_kb = 200000
    with pytest.raises(HostLacks, match="800000 kB left"):
        runs(visit, 1)


def test_experiment_of_the_same_path_on_another_computer_is_not_taken_over(host: FakeHost, visit: Visit) -> None:
    leave_session(host, ID, ELSEWHERE)
    with pytest.raises(HostLacks, match="in use by another experiment"):
        runs(visit, 0)
    assert host.steps == ["inspect"]
    host.idle_s = 1000
    assert [one.outcome for one in runs(visit, 0)] == [""]
    assert is_as_found(host, visit)


@pytest.mark.parametrize("lost_notes", [True, False])
def test_kernel_of_an_experiment_whose_notes_are_lost_is_never_taken_for_the_machines_own(
    host: FakeHost, visit: Visit, lost_notes: bool
) -> None:
    leave_session(host, OTHER, ELSEWHERE)
    host.idle_s = 1000
    host.files = {} if lost_notes else {f"/var/tmp/kassay-{OTHER}/owner": ELSEWHERE.encode()}
    assert [one.outcome for one in runs(visit, 0)] == [""]
    assert ("home", f"/var/tmp/kassay-{ID}", "reboot") in host.calls
    assert is_as_found(host, visit)


def test_machine_that_reboots_into_a_kernel_of_kassay_is_refused(
    host: FakeHost, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_session(host, OTHER, ELSEWHERE)
    host.files = {}

    def home(*_: str) -> str:
        host._booted(host.banner, host.cmdline)
        return ""

    monkeypatch.setattr(host, "_home", home)
    with pytest.raises(HostLacks, match=r"on Linux 6\.99 #1, which kassay has started"):
        runs(visit, 0)


def test_another_experiment_that_lives_is_not_disturbed(host: FakeHost, visit: Visit) -> None:
    host.files[f"/var/tmp/kassay-{OTHER}/owner"] = f"{platform.node()} {this_boot()} {os.getpid()}".encode()
    leave_session(host, "a" * 12, f"{platform.node()} {this_boot()} 4194305")  # dead, and first in the list's order
    with pytest.raises(HostLacks, match="in use by another experiment"):
        runs(visit, 0)
    assert host.steps == ["inspect"]


@pytest.mark.parametrize("owner", [f"{platform.node()} {this_boot()} 4194305", ELSEWHERE, ""])
def test_another_experiment_that_was_killed_is_cleaned_up_first(host: FakeHost, visit: Visit, owner: str) -> None:
    leave_session(host, OTHER, owner)
    host.idle_s = 10**6
    assert [one.outcome for one in runs(visit, 0)] == [""]
    assert host.steps.index("home") < host.steps.index("open")
    assert is_as_found(host, visit)


@pytest.mark.parametrize("value", ["thesis 5 1 x", "my results 5 1 x", "0123456789ab", "0123456789ab x 1 y", ""])
def test_line_that_names_no_session_is_left_out(value: str) -> None:
    told = facts(f"session\t{value}\nsession\t{ID} -2 7 node boot 1\nsession\t{OTHER} 1 2\n")
    assert told.sessions == ((ID, -2, 7, "node boot 1"), (OTHER, 1, 2, ""))
