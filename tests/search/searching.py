# SPDX-License-Identifier: GPL-2.0-only
"""A search played against known truth."""

from collections.abc import Callable, Collection

from kassay.model.bisect import Observation
from kassay.tools.search.decision import Ask, Conclusion, Decision

Engine = Callable[[list[Observation]], Decision]
Boot = Callable[[int], float | None]


def played(
    engine: Engine, boot: Boot, unbuilt: Collection[int] = (), most: int = 400
) -> tuple[Conclusion, list[Observation]]:
    """Conclusion and log of a search. boot: a candidate's value; None for a boot that fails."""
    log: list[Observation] = []
    while isinstance(asked := engine(log), Ask):
        assert len(log) < most, "the search does not end"
        value = None if asked.candidate in unbuilt else boot(asked.candidate)
        outcome = "not-built" if asked.candidate in unbuilt else "not-booted" if value is None else "value"
        log.append(
            Observation(
                number=len(log) + 1, candidate=asked.candidate, boot=asked.boot, outcome=outcome, value=value,
                reason=asked.reason,
            )
        )  # fmt: skip
    return asked, log
