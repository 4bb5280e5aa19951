# SPDX-License-Identifier: GPL-2.0-only
"""What people call a kernel in a sentence: "6.17" for debian:6.17."""

from pathlib import PurePath

from kassay.errors import BadInput
from kassay.model.build import parse_build
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


def _built(locator: str) -> str:
    """ "7.3 + fix.patch, clang-18" for debian-source:7.3+/tmp/fix.patch,cc=clang-18."""
    try:
        build = parse_build(locator)
    except BadInput:
        return f"build:{locator}"
    tree = PurePath(build.tree.removeprefix("debian-source:")).name or build.tree
    tree += f"@{build.revision}" if build.revision else ""
    words = [tree, *(PurePath(patch).stem for patch in build.patches)]
    compiler = (build.cc,) if build.cc != "gcc" else ()
    return ", ".join((" + ".join(words), *compiler))


def _strip(label: str) -> str:
    body, bracket, rest = label.partition(" [")
    arch, kind, locator = body.partition("build:")
    if kind and (not arch or arch.endswith("/")):
        return f"{_built(locator)}{bracket}{rest}"
    body, bracket, rest = label.partition(" ")
    name = body.rpartition("debian:")[2] if "debian:" in body else body.removeprefix("image:").rpartition("/")[2]
    return f"{name or body}{bracket}{rest}"
