# SPDX-License-Identifier: GPL-2.0-only
"""Who has a lock, who waits for it and who is refused."""

import os
import re
import threading
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import pytest

from kassay.effects.lock import Holder, host_locked, locked, refusing, waiting
from kassay.errors import HostLacks
from kassay.model.progress import Progress
from tests.kernels.fakes import Told


def test_a_lock_that_is_taken_is_refused_with_its_holder_or_waited_for(tmp_path: Path) -> None:
    path, told, order = tmp_path / "a" / "lock", Told(), list[str]()
    started = threading.Event()

    def wait() -> None:
        tell = waiting(told, "debian:6.17")

        def busy(holder: Holder) -> None:
            tell(holder)
            started.set()

        with locked(path, busy):
            order.append("second")

    with locked(path):
        second = threading.Thread(target=wait)
        second.start()
        assert started.wait(20)
        with pytest.raises(HostLacks, match=rf"/x is in use by another kassay \(process {os.getpid()}\)"):
            locked(path, refusing("/x")).__enter__()
        order.append("first")
    second.join()
    assert order == ["first", "second"]
    assert [one.text for one in told if not one.passing] == ["waiting for another fetch of the same"]
    with locked(path, refusing("/x")):
        pass


def test_a_wait_names_the_other_process_and_its_directory() -> None:
    told, parent = Told(), os.getppid()
    waiting(told, "debian:6.17")(Holder(str(parent), 0.0))
    text = rf"waiting for another fetch of the same, by process {parent}( in /.*)?, since \d\d:\d\d:\d\d"
    assert re.fullmatch(text, told[0].text)


def test_a_thread_that_waits_for_a_lock_ends_when_its_command_does(tmp_path: Path) -> None:
    """Ctrl-C reaches the main thread alone: the next thing that the waiting thread tells raises."""
    started, ends, ended = threading.Event(), threading.Event(), threading.Event()

    def tell(progress: Progress) -> None:
        started.set()
        if ends.is_set():
            raise CancelledError

    def wait() -> None:
        with suppress(CancelledError), locked(tmp_path / "lock", waiting(tell, "linux", "another build")):
            return
        ended.set()

    with locked(tmp_path / "lock"):
        threading.Thread(target=wait, daemon=True).start()
        assert started.wait(20)
        ends.set()
        assert ended.wait(20)


def test_counted_measurements_share_the_host_and_a_timed_one_has_it_alone(cache: Path) -> None:
    in_use = pytest.raises(HostLacks, match="this host's clock is in use")
    with host_locked(timed=False), host_locked(timed=False), in_use:
        host_locked(timed=True).__enter__()
    with host_locked(timed=True), pytest.raises(HostLacks, match="in use"):
        host_locked(timed=False).__enter__()
    assert (cache / "host.lock").is_file()


def test_counted_measurement_keeps_off_the_cpus_of_a_timed_one(cache: Path) -> None:
    in_use = pytest.raises(HostLacks, match="this host's clock is in use")
    own, foreign = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0)) + 1
    with host_locked(timed=True, cpus=(own,)), in_use:
        host_locked(timed=False).__enter__()
    with host_locked(timed=False), pytest.raises(HostLacks, match="in use"):
        host_locked(timed=True, cpus=(own,)).__enter__()
    with host_locked(timed=True, cpus=(foreign,)), host_locked(timed=False), host_locked(timed=False, cpus=(own,)):
        pass
