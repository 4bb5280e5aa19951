# SPDX-License-Identifier: GPL-2.0-only
"""`kassay predict --without`: what would be gained if some instructions were not executed."""

from collections.abc import Sequence
from pathlib import Path

from kassay import __version__
from kassay.commands._show import say_answer
from kassay.errors import BadInput
from kassay.labs.predict.commands._traced import traced_sides
from kassay.labs.predict.without import without
from kassay.labs.predict.without_model import Removal, WithoutReport
from kassay.labs.predict.without_report import WITHOUT


def pairs_of(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """MNEMONIC=OTHER, split, in lower case. Raises BadInput."""
    pairs: dict[str, str] = {}
    for word in words:
        mnemonic, equals, other = (part.strip() for part in word.lower().partition("="))
        if not (mnemonic and equals and other):
            raise BadInput(f"--replace {word!r}: not MNEMONIC=OTHER", "write for example xchg=mov")
        if pairs.setdefault(mnemonic, other) != other:
            raise BadInput(f"--replace {mnemonic}: given twice", "an instruction has the cost of one other")
    return tuple(pairs.items())


def show_without(directory: Path, cpus: Sequence[str], removal: Removal, form_name: str) -> None:
    """Answers for every kernel and setting of the directory, in its primary metrics."""
    form = WITHOUT.form(form_name)
    with traced_sides(directory, cpus) as given:
        found = without(given.sides, given.traces, given.replays(), given.timings, removal, given.tell)
    report = WithoutReport(
        functions=removal.functions, instructions=removal.mnemonics, answers=found, kassay_version=__version__,
        replaced=removal.replaced,
    )  # fmt: skip
    say_answer(report, form)
