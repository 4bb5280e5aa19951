# SPDX-License-Identifier: GPL-2.0-only
"""What people call a kernel in a sentence: "6.17" for debian:6.17."""

from kassay.model.experiment import Experiment, labels
from kassay.model.report import Report


def spoken_names(experiment: Experiment) -> tuple[str, ...]:
    """One name per kernel, in order: the label without its kind and folders where that stays unique."""
    full = labels(experiment)
    short = tuple(_strip(label) for label in full)
    return short if len(set(short)) == len(short) else full


def called(report: Report) -> dict[str, str]:
    """Each kernel's label with the name people use."""
    return dict(zip(labels(report.experiment), spoken_names(report.experiment), strict=True))


def _strip(label: str) -> str:
    body, bracket, rest = label.partition(" ")
    name = body.rpartition("debian:")[2] if "debian:" in body else body.removeprefix("image:").rpartition("/")[2]
    return f"{name or body}{bracket}{rest}"
