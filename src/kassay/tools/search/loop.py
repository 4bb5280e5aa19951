# SPDX-License-Identifier: GPL-2.0-only
"""The loop of a bisection: asks the engine, measures, writes the log, and compares the culprit with what was before."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from kassay.effects.lock import locked, refusing
from kassay.errors import BadInput
from kassay.journal.directory import CULPRIT, MERGE, STEPS, open_directory
from kassay.model.bisect import Bisection, Candidate, Observation, SearchQuestion
from kassay.model.experiment import Experiment
from kassay.model.progress import Progress, Tell, silent
from kassay.model.reason import Reason, reason
from kassay.model.reason_texts import reason_text
from kassay.model.texts import counted
from kassay.supply.clocks import profiling
from kassay.tools.search import exact, noisy
from kassay.tools.search import log as searchlog
from kassay.tools.search.candidates import introduced, merged_branches, other_change, side_branch
from kassay.tools.search.compilers import ends_by_compiler
from kassay.tools.search.decision import TRIES, Ask, Conclusion, Decision, History
from kassay.tools.search.probe import BootProbe, Measure, MeasureRun, kernel_use
from kassay.tools.search.state import numbered, with_defaults


def next_step(question: SearchQuestion, log: Sequence[Observation]) -> Decision:
    """Pure: the same question and log give the same decision, so that a log can be replayed."""
    last = len(question.candidates) - 1
    if not question.one_boot_decides:
        return noisy.next_step(last, log, question.error_rate, seed=question.probe.seed, steps=question.steps)
    margin = 0.0 if question.state else question.margin  # the values are numbers of states
    decision = exact.next_step(last, exact.by_one_method(log), margin, question.steps)
    return _of_states(question.state, log, decision) if question.state else decision


def _of_states(field: str, log: Sequence[Observation], decision: Decision) -> Decision:
    """The decision in words of states, not of their numbers."""
    if isinstance(decision, Ask):
        return decision
    alike = reason("states-alike", field=field, state=next((entry.state for entry in log if entry.state), None) or "")
    return structs.replace(
        decision, open=tuple(alike if why.code == "ends-alike" else why for why in decision.open)
    )  # fmt: skip


def skipped(question: SearchQuestion, log: Sequence[Observation]) -> tuple[int, ...]:
    """Positions that could not be measured."""
    tries = 1 if question.one_boot_decides else TRIES
    return tuple(sorted(History(log, tries).skipped))


def search(question: SearchQuestion, directory: Path, tell: Tell, measure: Measure) -> Bisection:
    """Finds every step of the range; what the log has already is not measured again.

    Where the culprit is a merge, the branch it brought in is searched in turn. Raises BadInput when there is nothing
    to find, with what is known.
    """
    with locked(directory / "lock", refusing(str(directory))):
        searchlog.begin(directory, question)
        by_compiler = ends_by_compiler(question, directory, tell, measure)
        result = _searched(question, directory, tell, measure)
        if by_compiler:
            result = _stored(directory, structs.replace(result, compilers=by_compiler))
    branches = merged_branches(result.steps[0], result.candidates)
    if branches > 1:
        return _with_doubt(question, directory, result, reason("merge-of-several", branches=branches))
    inner = side_branch(question, result.steps[0], result.candidates)
    if inner is None:
        return result
    merged = result.candidates[result.steps[0].first]
    tell(Progress(stage="bisect", subject="merge", text=f"{merged.title}: its branch"))
    try:
        within = search(inner, directory / MERGE, tell, measure)
    except BadInput as error:  # the branch alone does not have it
        return _with_doubt(question, directory, result, reason("merge-itself", problem=error.what))
    if problem := other_change(question, result, within):
        return _with_doubt(question, directory, result, reason("merge-itself", problem=problem))
    return _stored(directory, _around(within, result))


def _with_doubt(question: SearchQuestion, directory: Path, result: Bisection, doubt: Reason) -> Bisection:
    """The result, stored with one more open question."""
    texts = (*result.open, *_texts(question, (doubt,)))
    return _stored(directory, structs.replace(result, open=texts, open_codes=(*result.open_codes, doubt)))


def _around(inner: Bisection, outer: Bisection) -> Bisection:
    """The inner search with `outer` as the outermost of the searches around it."""
    return structs.replace(inner, within=outer if inner.within is None else _around(inner.within, outer))


def _outermost(bisection: Bisection) -> Bisection:
    return bisection if bisection.within is None else _outermost(bisection.within)


def resumed(question: SearchQuestion, directory: Path) -> SearchQuestion:
    """The question as a started search has it: releases that came into the archive since are not part of it."""
    if question.kind != "releases" or not searchlog.is_search(directory):
        return question
    before = searchlog.opened(directory)
    same = structs.replace(before, candidates=question.candidates, notes=question.notes) == question
    return before if same else question


def conclude(
    question: SearchQuestion, directory: Path, bisection: Bisection, tell: Tell, measure_run: MeasureRun
) -> None:
    """Compares the culprit with the last kernel that does not have it, with all the repeats a claim needs."""
    measure_run(_culprit(question, bisection), directory / CULPRIT, tell)
    if question.state and not bisection.defaults:
        step = bisection.steps[0]
        boots = tuple(_boot_directory(question, place, 1, directory) for place in (step.last_without, step.first))
        _stored(directory, with_defaults(question, directory, bisection, (boots[0], boots[1]), tell, measure_run))


def replay(directory: Path) -> tuple[str, ...]:
    """Decides everything again from the log alone; what differs from the log, in words. Measures nothing."""
    question, log = searchlog.opened(directory), searchlog.read(directory)
    differ = []
    for number, entry in enumerate(log):
        asked = next_step(question, log[:number])
        if not isinstance(asked, Ask) or (asked.candidate, asked.boot) != (entry.candidate, entry.boot):
            wanted = f"asks for {asked.candidate}, boot {asked.boot}" if isinstance(asked, Ask) else "ends there"
            differ.append(
                f"line {number + 1}: measured {entry.candidate}, boot {entry.boot}; decided again, it {wanted}"
            )
            break
    result = searchlog.read_result(directory)
    range_ = _outermost(result) if result is not None else None
    if range_ is not None and not differ:
        decided = next_step(question, log)
        steps = decided.steps if isinstance(decided, Conclusion) else None
        if steps != range_.steps or log != range_.observations:
            differ.append(f"{searchlog.RESULT}: not what follows from the log")
    inner = directory / MERGE
    return (*differ, *(replay(inner) if searchlog.is_search(inner) else ()))


def _searched(question: SearchQuestion, directory: Path, tell: Tell, measure: Measure) -> Bisection:
    log = list(searchlog.read(directory, repair=True))
    if log:
        tell(Progress(stage="bisect", subject=directory.name, text=f"{len(log)} boots are there already"))
    metric = unit = ""
    while isinstance(asked := next_step(question, log), Ask):
        tell(_asked_progress(question, asked))
        probe = measure(question, asked, _boot_directory(question, asked.candidate, asked.boot, directory), tell)
        _check_programs(question, asked, log, directory)
        metric, unit = probe.metric or metric, probe.unit or unit
        if probe.state:
            probe = structs.replace(probe, value=numbered(probe.state, log))
        log.append(_observed(asked, probe, len(log) + 1))
        searchlog.append(directory, log[-1])
        tell(_measured_progress(question, log[-1], unit))
    if not asked.steps:
        raise BadInput(f"{question.range}: {'; '.join(_texts(question, asked.open))}", _way_out(question, log))
    if not metric:
        metric, unit = _metric(directory, question, log, measure)
    result = _bisection(question, log, asked, metric, unit)
    return _stored(directory, result)


def _check_programs(question: SearchQuestion, asked: Ask, log: list[Observation], directory: Path) -> None:
    """Raises BadInput when this boot was measured with other guest programs than the first (another host's, or another
    compiler's), or with another plugin. Values of two programs are not held against each other."""
    first = next((entry for entry in log if entry.value is not None), None)
    if first is None:
        return
    boot_directories = [_boot_directory(question, one.candidate, one.boot, directory) for one in (first, asked)]
    if not all((path / "plan.json").exists() for path in boot_directories):
        return
    then, now = (open_directory(path).plan for path in boot_directories)
    if then.guest_sha256 != now.guest_sha256:
        raise BadInput(
            f"{directory}: the search began with other guest programs (by {then.guest_compiler or 'another compiler'})",
            "go on with it where it began, or search anew with --fresh",
        )
    if then.plugin_sha256 != now.plugin_sha256:
        raise BadInput(f"{directory}: the search began with another plugin of QEMU", "search anew with --fresh")


def _stored(directory: Path, bisection: Bisection) -> Bisection:
    searchlog.keep_result(directory, bisection)
    whole = _outermost(bisection)
    if whole.kind == "git":
        searchlog.keep_git_log(directory, whole)
    return bisection


def _boot_directory(question: SearchQuestion, candidate: int, boot: int, directory: Path) -> Path:
    """The run directory of a boot."""
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in question.candidates[candidate].name[:40])
    path = directory / STEPS / f"{candidate:04d}-{name}"
    return path if question.one_boot_decides else path / f"boot-{boot}"


def _metric(directory: Path, question: SearchQuestion, log: list[Observation], measure: Measure) -> tuple[str, str]:
    """Metric of a search whose boots were all made by an earlier process."""
    result = searchlog.read_result(directory)
    if result is not None:
        return result.metric, result.unit
    first = next(entry for entry in log if entry.value is not None)
    asked = Ask(candidate=first.candidate, boot=first.boot, reason="", left=0, expected=0)
    again = measure(question, asked, _boot_directory(question, first.candidate, first.boot, directory), silent)
    return again.metric, again.unit


def _asked_progress(question: SearchQuestion, asked: Ask) -> Progress:
    candidate = question.candidates[asked.candidate]
    name = f"{candidate.name[:12]} {candidate.title}" if question.kind == "git" else candidate.title
    more = f"; {asked.left} candidates left, about {counted(asked.expected, 'boot')} to go"
    return Progress(stage="bisect", subject=f"{asked.candidate} of {len(question.candidates) - 1}",
                    text=f"{name}: {asked.reason}{more}")  # fmt: skip


def _measured_progress(question: SearchQuestion, entry: Observation, unit: str) -> Progress:
    value = entry.state or (f"{entry.value:g} {unit}" if entry.value is not None else "")
    text = value or f"{entry.outcome}: {entry.detail}"
    return Progress(stage="bisect", subject=question.candidates[entry.candidate].name[:12], text=text)


def _observed(asked: Ask, probe: BootProbe, number: int) -> Observation:
    return Observation(
        number=number, candidate=asked.candidate, boot=asked.boot, outcome=probe.outcome, value=probe.value,
        reason=asked.reason, detail=probe.detail, image_sha256=probe.image_sha256, build_s=probe.build_s,
        boot_s=probe.boot_s, method=probe.method, readings=probe.readings, state=probe.state,
    )  # fmt: skip


def _bisection(
    question: SearchQuestion, log: list[Observation], conclusion: Conclusion, metric: str, unit: str
) -> Bisection:
    step = conclusion.steps[0]
    return Bisection(
        range=question.range, workload=question.probe.workloads[0].name, metric=metric, unit=unit,
        clock=question.probe.clock, candidates=question.candidates, observations=tuple(log), steps=conclusion.steps,
        measured=len({entry.candidate for entry in log if entry.value is not None}),
        boots=sum(entry.value is not None for entry in log), skipped=skipped(question, log), margin=question.margin,
        error_rate=None if question.one_boot_decides else question.error_rate, kind=question.kind, notes=question.notes,
        introduced=introduced(question.kind, question.candidates, step), open=_texts(question, conclusion.open),
        open_codes=conclusion.open, state=question.state,
    )  # fmt: skip


def _texts(question: SearchQuestion, doubts: Sequence[Reason]) -> tuple[str, ...]:
    """Doubts as texts, with the candidates by name."""
    names = [candidate.name[:12] if question.kind == "git" else candidate.title for candidate in question.candidates]
    return tuple(reason_text(doubt, candidates=names) for doubt in doubts)


def _culprit(question: SearchQuestion, bisection: Bisection) -> Experiment:
    step = bisection.steps[0]
    pair: tuple[Candidate, ...] = (bisection.candidates[step.last_without], bisection.candidates[step.first])
    uses = tuple(kernel_use(question.kind, like, c) for like, c in zip(question.compare.kernels, pair, strict=True))
    return structs.replace(question.compare, kernels=uses)


def _way_out(question: SearchQuestion, log: list[Observation]) -> str:
    ends = (0, len(question.candidates) - 1)
    for end in ends:
        boots = [entry for entry in log if entry.candidate == end]
        if boots and all(boot.value is None for boot in boots):
            return boots[-1].detail or "choose another end: this one cannot be measured"
    if not question.one_boot_decides:
        return f"bisect on exact counts instead: --clock {profiling()[0]}, one boot a candidate"
    if {entry.candidate for entry in log} - set(ends):
        return "a smaller --margin, with another --out, tells smaller changes apart"
    return "choose ends that differ: kassay compare shows whether they do"
