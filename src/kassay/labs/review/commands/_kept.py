# SPDX-License-Identifier: GPL-2.0-only
"""`kassay report` of a directory of `kassay review` or `kassay ci`: the stored answer in another format."""

from kassay.commands import Again
from kassay.commands._show import say_kept
from kassay.labs.review import exit_status, gate
from kassay.labs.review.gate_model import Gate
from kassay.labs.review.model import Review
from kassay.labs.review.report import GATE, REVIEW


def show_review(again: Again) -> int:
    """The exit status as of `kassay review`, if it is asked for."""
    found = say_kept(REVIEW, "review", Review, again)
    return exit_status.exit_status(found) if again.exit_code else 0


def show_gate(again: Again) -> int:
    """The exit status as of `kassay ci`, if it is asked for."""
    found = say_kept(GATE, "ci", Gate, again)
    return gate.exit_status(found, again.allowed) if again.exit_code else 0
