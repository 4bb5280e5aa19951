# SPDX-License-Identifier: GPL-2.0-only
"""The files of a bisection: its question, its log and its result. The first byte tells which one an input is."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.trials.target import Target
from benchmarks.trials.targets._inputs import mended_lines, scratch
from kassay.journal.directory import SEARCH
from kassay.model.bisect import Bisection, Candidate, Observation, SearchQuestion, Step
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.records import to_json
from kassay.tools.search import log

_CANDIDATES = tuple(Candidate(name=name, title=name, ref=f"debian:{name}") for name in ("6.12", "6.16", "6.17"))
_OBSERVED = Observation(number=1, candidate=0, boot=1, outcome="value", value=303.5, reason="the good end")


def _experiment(question: str, *refs: str) -> Experiment:
    kernels = tuple(KernelUse(ref=ref) for ref in refs)
    return Experiment(name="b", question=question, kernels=kernels, workloads=(WorkloadUse(name="mprotect_toggle"),))


def _seeds(made: Path | None) -> Iterator[bytes]:
    probe, compare = _experiment("value", "debian:6.12"), _experiment("compare", "debian:6.12", "debian:6.17")
    question = SearchQuestion(kind="releases", range="6.12..6.17", candidates=_CANDIDATES, probe=probe, compare=compare)
    result = Bisection(
        range="6.12..6.17", workload="mprotect_toggle", metric="iteration", unit="instructions/page", clock="icount",
        candidates=_CANDIDATES, observations=(_OBSERVED,), measured=3, boots=3, skipped=(), margin=0.001,
        steps=(Step(last_without=1, first=2, before=303.5, after=671.6, change=1.212),),
    )  # fmt: skip
    yield b"q" + to_json(question)
    yield b"l00000000 " + to_json(_OBSERVED) + b"\n"
    yield b"r" + to_json(result)


def _run(data: bytes) -> None:
    directory = scratch() / "search"
    directory.mkdir(exist_ok=True)
    for path in directory.iterdir():
        path.unlink()
    name = {b"q": SEARCH, b"l": log.LOG, b"r": log.RESULT}.get(data[:1])
    if name is None:
        return
    (directory / name).write_bytes(mended_lines(data[1:]) if name == log.LOG else data[1:])
    if name == SEARCH:
        log.opened(directory)
    elif name == log.LOG:
        log.read(directory)
    else:
        log.read_result(directory)


TARGET = Target("files of bisections", _seeds, _run)
