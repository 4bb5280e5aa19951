# SPDX-License-Identifier: GPL-2.0-only
"""The door: a question and its log -> what to boot next, or what was found."""

from collections.abc import Sequence

from kassay.model.bisect import Observation, Question
from kassay.search import exact, noisy
from kassay.search.decision import TRIES, Ask, Decision, Found, History

__all__ = ["Ask", "Decision", "Found", "next_step", "skipped"]


def next_step(question: Question, log: Sequence[Observation]) -> Decision:
    """Pure: the same question and log give the same decision, so that a log can be replayed."""
    last = len(question.candidates) - 1
    if not question.exact:
        return noisy.next_step(last, log, question.error_rate, seed=question.probe.seed, steps=question.steps)
    return exact.next_step(last, log, question.margin, question.steps)


def skipped(question: Question, log: Sequence[Observation]) -> tuple[int, ...]:
    """Positions that could not be measured."""
    tries = 1 if question.exact else TRIES
    return tuple(sorted(History(log, tries).skipped))
