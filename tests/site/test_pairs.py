# SPDX-License-Identifier: GPL-2.0-only
"""Pairs: their order, their runs, and an experiment that reads as the command of a user."""

from pathlib import Path

import pytest
from msgspec import structs

from kassay.commands._experiment import experiment_from
from kassay.commands._options import Measuring
from kassay.labs.site.turn.followed import Kernel, Line
from kassay.labs.site.turn.pairs import (
    Pair,
    experiment_text,
    failure_of,
    missing_pairs,
    runs_to_make,
    workload_texts,
)
from kassay.labs.site.turn.settings import Lab
from kassay.labs.site.turn.status import Finished, Status
from kassay.spec.load import parse, suite_workloads

NOW = "2026-11-26T00:00:00Z"


def line(key: str, *names: str) -> Line:
    return Line(key=key, arch="x86_64", kernels=tuple(Kernel(name=name, ref=f"debian:{name}") for name in names))


def pair(before: str = "6.16.12-1", after: str = "6.17.13-1", **changes: str) -> Pair:
    (one,) = missing_pairs([line("x86_64", before, after)], Lab(), Status(), NOW)
    return structs.replace(one, **changes)


def test_the_newest_pair_of_every_line_comes_first() -> None:
    lines = [line("x86_64", "1", "2", "3"), line("x86_64-linux-main", "a", "b")]
    found = missing_pairs(lines, Lab(suites=("core", "mm")), Status(), NOW)
    assert [one.directory for one in found] == [
        "x86_64/core/2..3", "x86_64/mm/2..3", "x86_64-linux-main/core/a..b", "x86_64-linux-main/mm/a..b",
        "x86_64/core/1..2", "x86_64/mm/1..2",
    ]  # fmt: skip


def test_finished_pairs_and_failed_kernels_are_left_out() -> None:
    one = line("x86_64", "1", "2", "3", "4")
    done = Status().with_finished(Finished(directory="x86_64/mm/3..4", utc=NOW, runs=1, seconds=1.0))
    assert [p.directory for p in missing_pairs([one], Lab(), done, NOW)] == ["x86_64/mm/2..3", "x86_64/mm/1..2"]
    failed = done.with_failure(failure_of(pair(), one.kernels[1]), "why", NOW, "kernel")
    assert [p.directory for p in missing_pairs([one], Lab(), failed, NOW)] == ["x86_64/mm/1..3"]
    later = "2026-11-27T00:00:00Z"
    assert [p.directory for p in missing_pairs([one], Lab(), failed, later)] == ["x86_64/mm/2..3", "x86_64/mm/1..2"]


def test_runs_of_a_known_kernel_are_not_made_again() -> None:
    both = runs_to_make(pair(), Lab(), [])
    assert both > 0 and both % 8 == 0
    assert runs_to_make(pair(), Lab(), ["x86_64/mm/6.12.9-1..6.16.12-1"]) == both // 2
    assert runs_to_make(pair(), Lab(), ["x86_64/core/6.12.9-1..6.16.12-1"]) == both
    assert runs_to_make(pair(), Lab(), ["x86_64/mm/6.16.12-1..6.17.13-1"]) == 0


def test_the_experiment_is_that_of_the_command_but_for_its_draws() -> None:
    asked = parse(experiment_text(pair(), Lab()), "mm.toml")
    assert len({use.draw for use in asked.kernels}) == 2 and None not in {use.draw for use in asked.kernels}
    plain = structs.replace(asked, kernels=tuple(structs.replace(use, draw=None) for use in asked.kernels))
    options = Measuring(suite="mm")
    command = experiment_from("compare", "mm", ("debian:6.16.12-1", "debian:6.17.13-1"), options)
    assert plain == structs.replace(command, name="mm")


@pytest.mark.parametrize("ref", ['build:/a "b"\\c@0123', "build:/lin ux@abc,cc=gcc-14"])
def test_any_reference_can_be_in_the_experiment(ref: str, tmp_path: Path) -> None:
    one = structs.replace(pair(), after=Kernel(name="x", ref=ref))
    assert parse(experiment_text(one, Lab()), "mm.toml").kernels[1].ref == ref


def test_reports_name_a_build_by_its_tree_and_commit() -> None:
    built = structs.replace(pair(), after=Kernel(name="0123", ref="build:/home/me/linux@0123456"))
    assert [use.name for use in parse(experiment_text(built, Lab()), "mm.toml").kernels] == ["", "linux 0123"]


def test_a_kernel_has_the_same_draw_in_both_of_its_pairs() -> None:
    first = parse(experiment_text(pair("1.1-1", "1.2-1"), Lab()), "mm.toml")
    second = parse(experiment_text(pair("1.2-1", "1.3-1"), Lab()), "mm.toml")
    assert first.kernels[1] == second.kernels[0]


def test_cpus_to_predict_are_those_of_the_architecture() -> None:
    lab = Lab(arches=("x86_64", "arm64"), cpus=("zen4", "arm64/neoverse_n1"))
    assert parse(experiment_text(pair(), lab), "mm.toml").predict == ("zen4",)
    arm = parse(experiment_text(pair(arch="arm64"), lab), "mm.toml")
    assert (arm.predict, arm.arch, arm.boot) == (("neoverse_n1",), "arm64", "short")


def test_a_setting_that_a_finished_pair_lacks_is_a_further_part_of_it() -> None:
    one, uses = line("x86_64", "1", "2"), suite_workloads("mm")
    done = Finished(directory="x86_64/mm/1..2", utc=NOW, runs=1, seconds=1.0, workloads=workload_texts(uses[2:]))
    status = Status().with_finished(done)
    (part,) = missing_pairs([one], Lab(), status, NOW)
    assert (part.directory, part.workloads) == ("x86_64/mm+2/1..2", uses[:2])
    status = status.with_finished(structs.replace(done, directory=part.directory, workloads=workload_texts(uses[:1])))
    (part,) = missing_pairs([one], Lab(), status, NOW)
    assert (part.directory, part.workloads) == ("x86_64/mm+3/1..2", uses[1:2])
    last = structs.replace(done, directory=part.directory, workloads=workload_texts(uses[1:2]))
    assert missing_pairs([one], Lab(), status.with_finished(last), NOW) == ()
