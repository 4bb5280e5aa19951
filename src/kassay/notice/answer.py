# SPDX-License-Identifier: GPL-2.0-only
"""The answer: what every application of some directories of runs says of the sought functions."""

from collections.abc import Sequence
from pathlib import Path

from kassay import __version__, pipeline
from kassay.errors import BadInput, nearest
from kassay.model.notice import Notice, Noticed, SoughtFunction, Subject
from kassay.model.profile import base_name
from kassay.model.progress import Progress, Tell
from kassay.notice.applications import noticed_in
from kassay.notice.finding import Looked
from kassay.notice.kernels import Wanted, kernels_in, other_images
from kassay.notice.subject import named

_SCOPE = "Instructions executed, counted by an emulator; an instruction is not a nanosecond."
_ORDER = ("noticed", "below", "executed", "unexecuted", "unknown")


def looked_for_named(functions: Sequence[str], wanted: Wanted) -> Looked:
    """Functions that the user named, each with all that it calls."""
    labels = [one.label for one in wanted.all]
    found = tuple(SoughtFunction(function=name, whole=True) for name in functions)
    subject = Subject(workload="", base=labels[0], head=labels[1] if len(labels) > 1 else "", functions=found)
    return Looked(wanted, named(functions), subject)


def answer(looked: Looked, directories: Sequence[Path], names: Sequence[str], tell: Tell) -> Notice:
    """names: of the applications that are asked about, all of the directories' by default. The first directory that has
    one answers for it. Raises BadInput for a function that no kernel has."""
    found: dict[tuple[str, object], Noticed] = {}
    disclosures = []
    for number, directory in enumerate(directories, 1):
        if not looked.subject.workload:
            _check_names(looked, directory)
        for one in noticed_in(directory, looked.wanted, looked.sought, tell):
            if not names or one.application in names:
                found.setdefault((one.application, one.settings), one)
            tell(Progress(stage="notice", subject=f"{number}/{len(directories)}", text=one.application))
        for label in other_images(directory, looked.wanted):
            disclosures.append(f"The runs of {directory} are of another image of {label} than the finding.")
    return Notice(
        subject=looked.subject, applications=tuple(sorted(found.values(), key=_rank)),
        disclosures=(*disclosures, *_disclosures(looked, tuple(found.values()))), kassay_version=__version__,
    )  # fmt: skip


def _rank(one: Noticed) -> tuple[int, float, str]:
    """Those that it costs most first, those that do not execute it, and those without an answer, last."""
    weight = abs(one.share) if one.share is not None else sum(f.base or 0 for f in one.functions)
    return _ORDER.index(one.verdict), -weight, one.application


def _check_names(looked: Looked, directory: Path) -> None:
    known = {base_name(name) for name in pipeline.functions_of(directory, kernels_in(directory, looked.wanted))}
    for name in looked.sought.whole:
        if name not in known:
            near = nearest(name, known)
            guess = f"did you mean {near}? " if near else ""
            what = f"no function {name} in {' or '.join(one.label for one in looked.wanted.all)}"
            raise BadInput(what, f"{guess}A function that the compiler inlined is part of its caller: name that one")


def _disclosures(looked: Looked, found: Sequence[Noticed]) -> tuple[str, ...]:
    texts = [_SCOPE]
    if any(one.evidence not in ("exact", "") for one in found):
        texts.append("Not all counts are called exact, as nothing was moved that should not matter, or runs differ.")
    explained = looked.subject.explained
    if explained is not None and abs(explained - 1) > _UNEXPLAINED:
        texts.append(f"The functions hold {100 * explained:.3g} % of the finding's difference, smaller parts the rest.")
    return tuple(texts)


_UNEXPLAINED = 0.1
"""Share of a finding's difference outside of the functions, from which on it is said."""
