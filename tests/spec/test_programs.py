# SPDX-License-Identifier: GPL-2.0-only
"""A workload of an experiment file that is a program of the user's."""

import pytest

from kassay.errors import BadInput
from kassay.model.program import ProgramUse
from kassay.spec.load import dump, parse

HEAD = 'kernels = ["debian:6.16", "debian:6.17"]\n[[workloads]]\n'


def test_its_keys_are_read_and_written_back() -> None:
    text = HEAD + 'program = "a/repro.c"\nargs = "-n \'a b\'"\nfile = "data"\nfrom = "mprotect"\nrequire = ["ok==1"]\n'
    experiment = parse(text, "x.toml")
    (use,) = experiment.workloads
    assert use.name == "repro"
    assert use.program == ProgramUse(
        path="a/repro.c", args=("-n", "a b"), files=("data",), start="mprotect", require=("ok==1",)
    )
    assert parse(dump(experiment), "x.toml") == experiment


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ('args = "1"\nname = "page_fault"\n', "workloads[0]: args: belong to a program, and there is none"),
        ('program = "a.c"\nargs = "\'"\n', "workloads[0].args: No closing quotation"),
        ('program = "a.c"\nenv = ["1x"]\n', "workloads[0].env: '1x': write NAME=VALUE"),
        ('program = "a.c"\nrequire = ["x = 1"]\n', "workloads[0].require: 'x = 1': write NAME==VALUE"),
        ('program = "a.c"\nrequire = "status!=0"\n', "require: 'status!=0': write status==N, N from 0 to 255"),
        ('program = "a.c"\nrequire = "status>=1"\n', "require: 'status>=1': write status==N"),
        ('program = "a.c"\nrequire = "status==300"\n', "require: 'status==300': write status==N"),
        ('program = "a.c"\nrequire = "status==abc"\n', "require: 'status==abc': write status==N"),
        ('program = "a.c"\nrequire = ["status==1", "status==2"]\n', "require: status: an execution ends with one"),
        ('program = "a.c"\nargs = ["x", "a\\u0000b"]\n', "workloads[0].args: holds a NUL"),
        ('program = "a.c"\nenv = "A=a\\u0000b"\n', "workloads[0].env: holds a NUL"),
        ('program = "a.c"\nrequire = "a==a\\u0000b"\n', "workloads[0].require: holds a NUL"),
        ('program = "a.c"\nname = "../../evil"\n', "workloads[0].name: '../../evil': write at most 40 letters"),
        ('program = "a.c"\nname = "a b"\n', "such as 'a_b'"),
        ('program = "a.c"\nlimit_ms = 0\n', "workloads[0].limit_ms: 0 is outside"),
        ('program = "a.c"\n[[workloads]]\nprogram = "b/a.c"\n', "'a' is the name of two workloads"),
        ('program = "a.c"\nwork = "ops"\nfrom = "f"\n', "workloads[0].work: ops: only whole executions"),
        ('program = "a.c"\nprogramme = 1\n', "workloads[0].programme: unknown key"),
    ],
)
def test_what_is_wrong_is_named(lines: str, what: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(HEAD + lines, "x.toml")
    assert what in caught.value.what


def test_rounds_at_points_need_a_profile() -> None:
    with pytest.raises(BadInput, match="counted by the profile"):
        parse('profile = "none"\n' + HEAD + 'program = "a.c"\nto = "exit"\n', "x.toml")
