# SPDX-License-Identifier: GPL-2.0-only
"""The guest gets an application's input and arguments, and nothing that depends on the host."""

import subprocess
from pathlib import Path

import pytest

from kassay.errors import BadInput
from kassay.model.application import Application
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.packages import ArchivePackage
from kassay.model.program import ProgramUse, build_sentence, options_of
from kassay.model.records import Setting
from kassay.model.workload import Parameter
from kassay.spec.load import dump, parse
from kassay.supply.guest import application
from kassay.supply.guest.compile import build
from kassay.supply.guest.sources import RUNS_PROGRAMS
from kassay.supply.measured import measured_of

PACKAGE = ArchivePackage(name="tool", version="1:2-3", sha256="0" * 64, suite="trixie", pool="pool/t.deb")
LINES = Parameter(name="lines", kind="count", unit="lines", default="5", summary="lines", minimum=1, maximum=9)
TOOL = Application(
    name="tool_job",
    summary="a tool",
    uses="nothing",
    packages=("tool",),
    command=("/usr/bin/tool", "-n", "{lines}", ""),
    parameters=(LINES,),
    environment=("LANG=C.UTF-8", "N={lines}"),
    user=7,
    directory="/srv/job",
    setup=(("/usr/bin/first",),),
    server=("/usr/bin/daemon",),
    ready="port:80",
    between=(("/bin/rm", "-f", "out"),),
    checks=(("/usr/bin/last", "out"),),
    operations="{lines}",
    operation="line",
    inputs=lambda: {"a/data": b"x", "run": b"#!/bin/sh\n"},
)


@pytest.fixture
def use() -> ProgramUse:
    return application.use_of(TOOL, (PACKAGE,))


def test_the_guest_has_its_files_as_its_user_and_its_words_filled(use: ProgramUse, tmp_path: Path) -> None:
    five = (Setting(name="lines", value="5"),)
    data = application.layer(application.packed(use, "x86_64"), use, five)
    assert data == application.layer(application.packed(use, "x86_64"), use, five)
    listed = subprocess.run(["cpio", "-tvn", "--quiet"], input=data, capture_output=True, check=True).stdout.decode()
    rows = {line.split()[-1]: line.split() for line in listed.splitlines()}
    assert list(rows) == ["srv", "srv/job", "srv/job/a", "srv/job/a/data", "srv/job/run", "application.conf", "setup"]
    assert rows["srv/job/run"][0] == "-rwxr-xr-x" and rows["srv/job/a/data"][0] == "-rw-r--r--"
    assert rows["srv/job/a"][2:4] == ["7", "7"] and rows["srv"][2:4] == ["0", "0"]
    texts = data[data.index(b"user=7") : data.index(b"arg=/usr/bin/daemon")].decode().split("\0")
    assert {"directory=/srv/job", "HOME=/srv/job", "env=HOME=/srv/job", "env=LANG=C.UTF-8", "env=N=5"} & {*texts} == {
        "directory=/srv/job", "env=HOME=/srv/job", "env=LANG=C.UTF-8", "env=N=5",
    }  # fmt: skip
    assert "env=LANG=C" not in texts
    at = texts.index("command=run")
    assert texts[at + 1 : at + 5] == ["arg=/usr/bin/tool", "arg=-n", "arg=5", "arg="]


def test_what_init_executes_is_the_runner_alone(use: ProgramUse) -> None:
    whole = application.packed(use, "x86_64").read_bytes()
    assert application.runner(whole) == build(RUNS_PROGRAMS, "x86_64").read_bytes()
    measured = measured_of(WorkloadUse(name="tool_job", program=use))
    words = measured.arguments((Setting(name="lines", value="5"),), ("--rounds", "2"))
    assert words[:4] == ("--run", "--rounds", "2", "--")
    assert "application=1" in words and "operations=5" in words and not any(word.startswith("arg=") for word in words)


def test_a_pinned_experiment_holds_all_of_it(use: ProgramUse) -> None:
    kernels = (KernelUse(ref="debian:6.12"), KernelUse(ref="debian:6.17"))
    uses = (WorkloadUse(name="tool_job", program=use),)
    experiment = Experiment(name="x", question="compare", kernels=kernels, workloads=uses)
    assert parse(dump(experiment), "x.toml") == experiment
    assert options_of(use) == ("tool_job",)
    assert "tool 1:2-3 of trixie" in build_sentence("tool_job", use)
    (phase,) = measured_of(uses[0]).describe().phases
    assert (phase.name, phase.operation) == ("run", "line")


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a//b"])
def test_an_input_outside_of_its_directory_is_refused(name: str) -> None:
    fields = {field: getattr(TOOL, field) for field in TOOL.__struct_fields__} | {"inputs": lambda: {name: b""}}
    with pytest.raises(BadInput, match="is no plain relative path"):
        application.use_of(Application(**fields), (PACKAGE,))
