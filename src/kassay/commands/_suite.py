# SPDX-License-Identifier: GPL-2.0-only
"""Workloads of a suite that cannot be measured with the options of a machine's state: left out, and named."""

from pathlib import Path

from msgspec import structs

from kassay.commands._show import say, showing
from kassay.model.experiment import Experiment
from kassay.spec.load import load, suite_of, suite_workloads


def possible_part(experiment: Experiment) -> Experiment:
    """An experiment that measures a suite, without the workloads that cannot be measured on its machines."""
    from kassay.supply.prepare.workloads import possible_workloads

    with showing():  # a workload is compiled to describe what it cannot be measured with
        return possible_workloads(experiment)[0]


def experiment_of_file(spec: Path) -> Experiment:
    """The experiment of a file. If it names a suite, workloads of it that cannot be measured are left out, and named.
    Raises BadInput."""
    experiment, suite = load(spec), suite_of(spec)
    if suite:
        experiment = possible_part(experiment)
        say_left_out(experiment, suite)
    return experiment


def say_left_out(experiment: Experiment, suite: str) -> None:
    """Name the workloads of a suite that possible_part() left out, each with its reason. suite: "" for none."""
    if not suite or (uses := suite_workloads(suite)) == experiment.workloads:
        return
    from kassay.supply.prepare.workloads import possible_workloads

    for text in possible_workloads(structs.replace(experiment, workloads=uses))[1]:
        say(f"kassay: left out of suite {suite}: {text}\n", error=True)
