# SPDX-License-Identifier: GPL-2.0-only
"""A directory that `kassay import` made -> Report."""

from pathlib import Path

from kassay.analysis.imported import judge_samples
from kassay.analysis.seed_findings import judged_by_seed_rules
from kassay.imports import store
from kassay.model.experiment import TIMED_MARGIN
from kassay.model.records import content_id
from kassay.model.report import Report
from kassay.report.build_imported import build_imported


def answer_import(directory: Path, *, seed_rules: bool = False) -> Report:
    """The answer from imported values, by the rules of own timed runs."""
    samples = store.load(directory)
    analysis = judge_samples(samples, TIMED_MARGIN)
    return build_imported(
        samples, analysis.findings, analysis.ladders, analysis.families, directory=str(directory),
        plan_id=content_id(samples), margin=TIMED_MARGIN,
        seed_rules=judged_by_seed_rules(analysis.findings) if seed_rules else (),
    )  # fmt: skip
