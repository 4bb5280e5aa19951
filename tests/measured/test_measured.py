# SPDX-License-Identifier: GPL-2.0-only
"""A workload, a program and an application are one class each, and each knows all in which it differs."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.model.application import Words
from kassay.model.experiment import APPLICATION_TRACE_BUDGET, TRACE_BUDGET, WorkloadUse
from kassay.model.guest import CapturedFile, GuestReport, PhaseRounds
from kassay.model.program import ProgramUse
from kassay.model.progress import silent
from kassay.model.records import Setting
from kassay.supply.guest.sources import RUNS_PROGRAMS
from kassay.supply.measured import Measured, measured_by_name, measured_of

WORDS = Words(name="job", summary="a job", uses="nothing", packages=("job",), command=("/bin/job", "{n}"),
              between=(("/bin/rm",),), server=("/bin/daemon",), operations="{n}", require=("lines=={n}",))  # fmt: skip
PROGRAM = ProgramUse(path="p.c", sha256="0" * 64, args=("-n{n}",), env=("A={n}",), require=("status==3",))
USES = {
    "workload": WorkloadUse(name="mincore_scan"),
    "program": WorkloadUse(name="p", program=PROGRAM),
    "application": WorkloadUse(
        name="job", program=ProgramUse(path="job", sha256="0" * 64, require=WORDS.require, application=WORDS)
    ),
}
FIVE = (Setting(name="n", value="5"),)
EMPTY = GuestReport(workload="p", clock="monotonic", ticks_per_second=None, overhead_ticks=0, phases=(),
                    requirements=(), files=(), check="ok")  # fmt: skip


@pytest.fixture(params=USES)
def measured(request: pytest.FixtureRequest) -> Measured:
    return measured_of(USES[request.param])


def test_it_is_of_the_class_of_its_kind() -> None:
    kinds = {name: type(measured_of(use)).__name__ for name, use in USES.items()}
    assert kinds == {
        "workload": "MeasuredWorkload", "program": "MeasuredProgram", "application": "MeasuredApplication",
    }  # fmt: skip


def test_it_describes_itself_under_the_name_of_its_use(measured: Measured) -> None:
    workload = measured.describe()
    assert workload.name == measured.name
    assert sum(phase.primary for phase in workload.phases) == 1


def test_an_application_that_is_named_alone_describes_itself_as_its_file_has_it() -> None:
    named = measured_of(WorkloadUse(name="python_start"))
    assert (named.describe().group, named.use.program or None) == ("applications", None)


def test_only_a_workload_of_kassay_is_its_own_program_in_the_guest() -> None:
    programs = {name: measured_of(use).guest_program for name, use in USES.items()}
    assert programs == {"workload": "mincore_scan", "program": RUNS_PROGRAMS, "application": RUNS_PROGRAMS}


def test_a_workload_takes_its_settings_and_a_program_its_own_words() -> None:
    words = {name: measured_of(use).arguments(FIVE, ("--rounds", "2")) for name, use in USES.items()}
    assert words["workload"] == ("--run", "n=5", "--rounds", "2")
    assert words["program"] == (
        "--run", "--rounds", "2", "--", "arg=-n5", "env=A=5", "status=3", "limit_ms=2000", "counted=0", "operations=1",
    )  # fmt: skip
    assert words["application"] == (
        "--run", "--rounds", "2", "--", "status=0", "limit_ms=2000", "counted=0", "operations=5", "application=1",
    )  # fmt: skip


def test_an_application_has_a_larger_trace_every_task_of_its_server_and_commands_around_its_rounds() -> None:
    traits = {
        name: (m.trace_budget, m.has_every_task, m.commands_around) for name, m in measured_by_name(
            tuple(USES.values())).items()
    }  # fmt: skip
    assert traits == {
        "mincore_scan": (TRACE_BUDGET, False, None),
        "p": (TRACE_BUDGET, False, (0, 0)),
        "job": (APPLICATION_TRACE_BUDGET, True, (1, 0)),
    }


def test_a_requirement_on_the_output_is_checked_with_the_parameters_of_an_application() -> None:
    output = CapturedFile(moment="after", path="kassay/program/output", content="lines=6\n")
    report = structs.replace(EMPTY, files=(output,))
    problems = {name: measured_of(use).problem(report, None, FIVE) for name, use in USES.items()}
    assert problems == {
        "workload": None,
        "program": None,
        "application": ("check-failed", "program: execution 1 printed lines=6, and lines==5 is required"),
    }


def test_output_that_is_not_known_of_every_execution_meets_no_requirement() -> None:
    output = CapturedFile(moment="after", path="kassay/program/output", content="n=6\n\x1e\nn=6\n\x1e\nn=")
    phases = (PhaseRounds(phase="run", operations=1, ticks=(1, 2, 3)),)
    report = structs.replace(EMPTY, files=(output,), phases=phases)
    asked = {"require": ("n==6",)}, {"work": "n"}
    for changes in asked:
        use = structs.replace(USES["program"], program=ProgramUse(path="p.c", **changes))
        problem = measured_of(use).problem(report, None, ())
        assert problem == ("check-failed", "program: its output is known for 2 of 3 executions; print less")
    two = structs.replace(report, phases=(structs.replace(phases[0], ticks=(1, 2)),))
    assert measured_of(use).problem(two, None, ()) is None


def test_operations_that_are_printed_with_several_values_are_not_chosen_from() -> None:
    output = CapturedFile(
        moment="after", path="kassay/program/output", content="ops=10 ops=1000\n\x1e\nops=10 ops=10\n\x1e\n"
    )
    phases = (PhaseRounds(phase="run", operations=1, ticks=(1, 2)),)
    report = structs.replace(EMPTY, files=(output,), phases=phases)
    many = structs.replace(output, content=" ".join(f"ops={n}" for n in range(500)))
    report_of_many = structs.replace(report, files=(many,), phases=(structs.replace(phases[0], ticks=(1,)),))
    use = structs.replace(USES["program"], program=ProgramUse(path="p.c", work="ops"))
    assert "ops#5=4 and 495 more" in str(measured_of(use).problem(report_of_many, None, ()))
    found = {}
    for work in ("ops", "ops#2"):
        use = structs.replace(USES["program"], program=ProgramUse(path="p.c", work=work))
        found[work] = measured_of(use).problem(report, None, ())
    several = "program: --work ops: it prints ops several times: name one of ops=10 and ops#2=1000"
    assert found == {"ops": ("check-failed", several), "ops#2": None}


def test_rounds_that_only_a_profile_knows_need_one() -> None:
    problem = measured_of(USES["program"]).problem(structs.replace(EMPTY, counted=True), None, FIVE)
    assert problem == ("guest-error", "program: its rounds are counted by a profile, and this run has none")


def test_a_use_without_sources_is_pinned_as_it_is(tmp_path: Path) -> None:
    use = USES["workload"]
    assert measured_of(use).pin("x86_64", silent, tmp_path) is use
    assert measured_of(use).stored_sources() is None
