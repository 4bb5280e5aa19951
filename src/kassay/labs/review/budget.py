# SPDX-License-Identifier: GPL-2.0-only
"""The time after which a command begins no further step."""

from pathlib import Path

from kassay.effects import clock
from kassay.labs.review import stages


class Budget:
    """The budget of one command. A command makes at least one step that is not there yet, however small it is."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = clock.monotonic_s()
        self._made_one = False

    @property
    def used_s(self) -> float:
        """Seconds since the command began."""
        return clock.monotonic_s() - self._began

    def allows(self, directory: Path, expected_s: float = 0.0) -> bool:
        """True if the step of this directory may begin. Runs that are there are always read."""
        if stages.finished(directory):
            return True
        if self._made_one and self.used_s + expected_s > self._seconds:
            return False
        self._made_one = True
        return True

    @property
    def reason(self) -> str:
        """Why a step was left out."""
        return f"the budget of {self._seconds:.0f} s: {self.used_s:.0f} s were used"
