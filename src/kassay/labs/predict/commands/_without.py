# SPDX-License-Identifier: GPL-2.0-only
"""`kassay predict --without`: what would be gained if some instructions were not executed."""

from collections.abc import Sequence
from pathlib import Path

from kassay import __version__, answers
from kassay.commands._show import say_answer, showing
from kassay.errors import BadInput
from kassay.evidence.collect import collect
from kassay.journal.directory import open_directory
from kassay.labs.predict.predictions import Traces, found_timings, replays_of
from kassay.labs.predict.without import without
from kassay.labs.predict.without_model import Removal, WithoutReport
from kassay.labs.predict.without_report import WITHOUT
from kassay.model.reason_texts import reason_text


def pairs_of(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """MNEMONIC=OTHER, split. Raises BadInput."""
    pairs = []
    for word in words:
        mnemonic, equals, other = word.partition("=")
        if not (mnemonic.strip() and equals and other.strip()):
            raise BadInput(f"--replace {word!r}: not MNEMONIC=OTHER", "write for example xchg=mov")
        pairs.append((mnemonic.strip(), other.strip()))
    return tuple(pairs)


def show_without(directory: Path, cpus: Sequence[str], removal: Removal, form_name: str) -> None:
    """Answers for every kernel and setting of the directory, in its primary metrics."""
    form = WITHOUT.form(form_name)
    folder = open_directory(directory)
    experiment = folder.plan.experiment
    names = tuple(cpus) or experiment.predict
    if not names:
        raise BadInput(
            f"{directory}: it was not made with --predict", "measure anew with --predict CPU, in another --out"
        )
    timings, lacking = found_timings(names, experiment.arch, directory)
    if lacking:
        assert lacking[0].refused is not None
        raise BadInput(f"--cpu {lacking[0].cpu}: {reason_text(lacking[0].refused)}", "name another one")
    with showing() as tell:
        records = folder.records()
        traces = Traces(folder, records, collect(folder, records, tell))
        sides = {
            (finding.point, side.kernel): (finding, side)
            for finding in answers.findings(directory) if finding.primary for side in finding.sides
        }  # fmt: skip
        chosen = tuple(sides.values())
        whole = replays_of(directory, [traces.of(*one) for one in chosen], timings, tell)
        found = without(chosen, traces, whole, timings, removal, tell)
    report = WithoutReport(
        functions=removal.functions, instructions=removal.mnemonics, answers=found, kassay_version=__version__,
        replaced=removal.replaced,
    )  # fmt: skip
    say_answer(report, form)
