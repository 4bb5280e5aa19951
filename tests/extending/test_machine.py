# SPDX-License-Identifier: GPL-2.0-only
"""A machine from outside, with a clock of its own, and a second machine of a clock that there is."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.extending.outside import Outside, outside

CLOCK = '''
"""wristwatch: what somebody reads from the watch at their wrist."""

from kassay.supply.clocks import Clock

CLOCK = Clock(
    name="wristwatch", order=50, scope="time as a watch shows it", native=True, where="by the watch",
    definition="Time on the watch", limits=("A watch may be slow.",), meaning="This is time by a watch.",
    mechanism="Clock: a watch.",
)
'''
MACHINE = '''
"""NAME: this host, called otherwise."""

from msgspec import structs

from kassay.supply.machines.host import Host


class Renamed(Host):
    name, clock, order = "NAME", "CLOCK", ORDER

    def probe(self, arch, tell):
        return structs.replace(super().probe(arch, tell), usable=USABLE, detail="as the test has it")

    def identify(self, arch, cpus, boot):
        return structs.replace(super().identify(arch, cpus, boot), accelerator="NAME")


MACHINE = Renamed()
'''
QUICK = ("--set", "size=64KiB", "--repeats", "2", "--rounds", "2", "--no-control")


def machine(name: str, clock: str, *, order: int = 100, usable: bool = True) -> str:
    text = MACHINE.replace("NAME", name).replace("CLOCK", clock)
    return text.replace("ORDER", str(order)).replace("USABLE", str(usable))


def measured(asked: Outside, clock: str, out: str) -> dict[str, Any]:
    """The JSON report of two runs of the kernel that runs here."""
    text = asked.kassay("compare", "mincore_scan", "host", "host", "--clock", clock, *QUICK, "--out", out)
    assert "mincore_scan" in text
    done = asked.ended("report", out, "--format", "json")
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """A new clock with one machine."""
    found = outside(tmp_path_factory.mktemp("watch"))
    found.add("clocks/wristwatch.py", CLOCK)
    found.add("machines/wrist.py", machine("wrist", "wristwatch"))
    return found


def test_a_new_clock_and_its_machine_measure_and_are_answered_in_their_own_words(watched: Outside) -> None:
    report = measured(watched, "wristwatch", "d")
    assert (report["machine"]["clock"], report["machine"]["accelerator"]) == ("wristwatch", "wrist")
    finding = report["findings"][0]
    assert (finding["scope"], finding["unit"].partition("/")[0]) == ("time as a watch shows it", "ns")
    assert finding["definition"].startswith("Time on the watch per ")
    assert len(finding["sides"][0]["runs"]) == 2
    assert "A watch may be slow." in report["disclosures"]
    mail = watched.kassay("report", "d", "--format", "mail")
    assert "This is time by a watch." in mail and "Clock: a watch." in mail


def test_help_and_refusals_list_its_clock(watched: Outside) -> None:
    assert "metal or wristwatch (time)" in " ".join(watched.kassay("compare", "--help").split())
    refused = watched.kassay("compare", "mincore_scan", "host", "host", "--clock", "sundial", status=2)
    assert "known: icount, tcg, kvm, host, metal, wristwatch" in refused


def test_what_cannot_be_chosen_of_this_host_cannot_be_chosen_there(watched: Outside) -> None:
    words = ("compare", "mincore_scan", "host", "host", "--clock", "wristwatch", "--cpus", "2")
    assert "clock wristwatch: measures this very machine" in watched.kassay(*words, status=2)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """Two more machines of a clock that there is; the first of all does not work."""
    found = outside(tmp_path_factory.mktemp("twins"))
    found.add("machines/broken.py", machine("broken", "host", order=1, usable=False))
    found.add("machines/spare.py", machine("spare", "host"))
    return found


def test_of_several_machines_the_first_that_works_is_taken_and_named(twins: Outside) -> None:
    report = measured(twins, "host", "d")
    assert (report["machine"]["accelerator"], report["experiment"]["machine"]) == ("none", "host")


def test_a_machine_is_chosen_by_its_name(twins: Outside) -> None:
    report = measured(twins, "spare", "e")
    assert (report["machine"]["clock"], report["machine"]["accelerator"]) == ("host", "spare")
    assert 'machine = "spare"' in (twins.work / "e" / "spec.toml").read_text()
    assert report["experiment"]["machine"] == "spare"
    refused = twins.kassay("compare", "mincore_scan", "host", "host", "--clock", "broken", *QUICK, status=3)
    assert "not usable here: as the test has it" in refused


def test_a_machine_of_a_clock_that_nobody_has_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    found = outside(tmp_path)
    found.add("machines/lost.py", machine("lost", "sundial"))
    refused = found.kassay("compare", "mincore_scan", "host", "host", "--clock", "lost", status=2)
    assert "clock: unknown 'sundial'" in refused
