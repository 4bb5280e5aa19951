# SPDX-License-Identifier: GPL-2.0-only
"""The documents of `kassay review` and `kassay ci`."""

from kassay.labs.review.gate_model import Gate
from kassay.labs.review.model import Review
from kassay.labs.review.patchwork import patchwork_checks
from kassay.labs.review.report import _gate, _gate_forms
from kassay.labs.review.report._document import document
from kassay.labs.review.report._words import changelog
from kassay.report.answers import Kind


def _changelog(review: Review) -> str:
    return changelog(review) + "\n"


REVIEW = Kind(document=document, more={"changelog": _changelog, "patchwork": patchwork_checks})
GATE: Kind[Gate] = Kind(
    document=_gate.document,
    more={
        "summary": _gate.summary,
        "junit": _gate_forms.junit,
        "annotations": _gate_forms.annotations,
        "metrics": _gate_forms.metrics,
    },
)
