# SPDX-License-Identifier: GPL-2.0-only
"""Objects of deferred work: who queued them last is charged, and nobody who only tried to."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from kassay.supply.machines._plugin import FLAGS, sources

HARNESS = Path(__file__).parent / "defer_objects.c"


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """All lines of the harness: text in front of the first blank -> text behind it."""
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-fvisibility=hidden")]
    made = tmp_path_factory.mktemp("defer") / "defer"
    argv = ("gcc", *flags, "-DKASSAY_QEMU_API=1", f"-I{sources()}", "-o", str(made), str(HARNESS))
    subprocess.run((*argv, str(sources() / "defer.c")), check=True)
    printed = subprocess.run((str(made),), check=True, capture_output=True, text=True).stdout
    return {name: rest for name, _, rest in (line.partition(" ") for line in printed.splitlines())}


def test_an_object_runs_once_for_the_task_that_queued_it(said: Mapping[str, str]) -> None:
    assert (said["queued"], said["again"]) == ("own", "foreign")


def test_an_item_that_somebody_else_has_queued_stays_foreign(said: Mapping[str, str]) -> None:
    assert (said["pending"], said["of_a_timer"]) == ("foreign", "foreign")


def test_the_last_one_to_queue_an_item_is_charged_and_a_cancelled_item_is_nobodys(said: Mapping[str, str]) -> None:
    assert (said["taken_over"], said["cancelled"]) == ("foreign", "foreign")


def test_an_rcu_head_is_known_by_its_function_alone_and_a_timer_by_its_flags(said: Mapping[str, str]) -> None:
    assert said["rcu"] == "own foreign foreign"
    assert said["timer"] == "foreign own"


def test_totals_count_queued_run_and_outstanding_items_of_each_kind(
    said: Mapping[str, str],
) -> None:
    assert said["totals"] == "d work 3 1 0, d rcu 2 1 1, d timer 1 1 0, "
