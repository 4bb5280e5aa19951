# SPDX-License-Identifier: GPL-2.0-only
"""The traces of a directory replayed without some of their instructions, next to the whole replay."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay.effects.workers import mapped
from kassay.errors import BadInput, KassayError
from kassay.evidence.profile.counters import ProfileError
from kassay.evidence.profiles import lines_of_run, report_of, symbols_of
from kassay.journal import artifacts
from kassay.labs.predict.asked import asked
from kassay.labs.predict.decode import CALL, CALL_INDIRECT, REPEAT, RETURN, Facts, decoder_of
from kassay.labs.predict.predict import doubts_of, refused_because, widened
from kassay.labs.predict.predictions import Replays, Traces, bounded, traced_side
from kassay.labs.predict.replay import replay_of
from kassay.labs.predict.side import OnCpu, Replay, SideTime, TracedSide, side_time
from kassay.labs.predict.static import Alters
from kassay.labs.predict.timing import Timing
from kassay.labs.predict.without_model import Removal, Without, WithoutRow
from kassay.model.finding import Finding, Side
from kassay.model.profile import base_name
from kassay.model.progress import Progress, Tell
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text
from kassay.model.run import RunRecord

STAYS = (CALL, CALL_INDIRECT, RETURN)
"""Kinds that are never removed: a return without its call is mispredicted, and so are all those around it."""


class _Job(NamedTuple):
    directory: Path
    record: RunRecord
    timing: Timing
    removal: Removal
    placements: int


def without(
    sides: Sequence[tuple[Finding, Side]], traces: Traces, whole: Replays, timings: Mapping[str, Timing],
    removal: Removal, tell: Tell,
) -> tuple[Without, ...]:  # fmt: skip
    """One answer for each side and CPU. whole: the replays of these sides without a removal.

    Raises BadInput if no trace has such an instruction.
    """
    told = [(f, side, timing, traced_side(f, side, timing, traces, whole))
            for f, side in sides for timing in traces.timings_at(f, timings)]  # fmt: skip
    records = [traces.of(f, side) for f, side, *_ in told]
    jobs = [_Job(traces.directory, record, timing, removal, now.replay.placements)
            for record, (_, _, timing, now) in zip(records, told, strict=True)
            if record is not None and now.replay is not None]  # fmt: skip
    replays: dict[tuple[str, str], Replay | str] = {}
    for number, (job, replay) in enumerate(zip(jobs, mapped(_replayed, jobs, many=2), strict=True), 1):
        replays[job.record.run, job.timing.name] = replay
        text = f"{job.timing.name}, run {job.record.run}"
        tell(Progress(stage="predict", subject=f"{number}/{len(jobs)}", text=text, done=number / len(jobs)))
    found = tuple(
        _answer(f, side, timing, now, replays.get((record.run, timing.name)) if record is not None else None)
        for (f, side, timing, now), record in zip(told, records, strict=True)
    )
    if not any(answer.changes or answer.problem for answer in found):
        raise BadInput(f"{removal.text}: the traces have none that can be left out{removal.if_replaced}", _REMEDY)
    return found


_REMEDY = (
    "calls and returns always stay; kassay profile DIR --top 0 lists the functions that ran; "
    "an inlined one is found only in a kernel that kassay built"
)


def _replayed(job: _Job) -> Replay | str:
    """The replay without these instructions; a text that says why there is none."""
    directory, record = job.directory, job.record
    assert record.trace is not None
    try:
        symbols = symbols_of(directory, record, report_of(directory, record))
        lines = lines_of_run(directory, record)
        inlined: frozenset[int] = frozenset()
        if lines is not None:
            chains = {
                number for number, chain in enumerate(lines.chains)
                if any(frame.function in job.removal.functions for frame in chain)
            }  # fmt: skip
            inlined = frozenset(address for address, chain in lines.places if chain in chains)

        def name_of(address: int) -> str:
            return symbols.find(address)[0]

        removes = removing(job.removal, name_of, inlined)
        alters = replacing(dict(job.removal.replaced), job.timing.arch)
        return replay_of(artifacts.get(directory, record.trace), job.timing, name_of, removes, alters,
                         job.placements)  # fmt: skip
    except KassayError as error:
        return f"{error.what} ({error.remedy})" if error.remedy else error.what
    except ProfileError as error:
        return str(error)


def removing(
    removal: Removal, name_of: Callable[[int], str], inlined: frozenset[int] = frozenset()
) -> Callable[[int, Facts], bool]:
    """Predicate of the instructions that are removed. inlined: addresses at which a removed function is inlined."""
    mnemonics = frozenset(map(_spelt, removal.mnemonics))

    def removes(address: int, facts: Facts) -> bool:
        if facts.kind in STAYS:
            return False
        if not mnemonics.isdisjoint(_parts(facts.form)[0]):
            return True
        return address in inlined or (bool(removal.functions) and base_name(name_of(address)) in removal.functions)

    return removes


def replacing(others: Mapping[str, str], arch: str) -> Alters:
    """Gives each mnemonic the cost of another one with the same operands. Its accesses stay, and are not atomic. Raises
    BadInput for a repeated instruction, whose time is that of its string, and for an access that would be atomic."""
    is_atomic = decoder_of(arch).atomic
    wanted = {_spelt(mnemonic): _spelt(other) for mnemonic, other in others.items()}

    def alters(facts: Facts) -> Facts:
        names, operands = _parts(facts.form)
        other = next((wanted[name] for name in names if name in wanted), None)
        if other is None or facts.kind in STAYS:
            return facts
        if facts.kind == REPEAT:
            raise BadInput(f"{facts.form}: its time depends on its string, so it cannot have the cost of {other}",
                           f"leave it out: --without-instruction '{facts.form}'")  # fmt: skip
        if is_atomic(other) and (facts.load_bytes or facts.store_bytes):
            raise BadInput(f"{other} is atomic, and {facts.form} would not be: its time is not known",
                           "name an instruction that is not atomic")  # fmt: skip
        return facts._replace(form=f"{other} {operands}".rstrip(), locked=False, exchanges=False)

    return alters


_PREFIXES = ("lock", "rep", "repe", "repne")
_SPELLINGS = {"repz": "repe", "repnz": "repne"}


def _spelt(name: str) -> str:
    """A name that the user gave, as forms have it."""
    return " ".join(_SPELLINGS.get(word, word) for word in name.lower().split())


def _parts(form: str) -> tuple[tuple[str, ...], str]:
    """Names of an instruction, the narrowest first ("rep stosq", "stosq", "rep"), and operands."""
    prefix, _, rest = form.partition(" ")
    if prefix not in _PREFIXES:
        return (prefix,), rest
    mnemonic, _, operands = rest.partition(" ")
    return (f"{prefix} {mnemonic}", mnemonic, prefix), operands


def _answer(f: Finding, side: Side, timing: Timing, now: TracedSide, replay: Replay | str | None) -> Without:
    answer = Without(**structs.asdict(asked(f, side, timing)))
    cpu = OnCpu(name=timing.name, calibrated=answer.calibrated, ghz=timing.ghz.value, model="",
                weights=timing.interval.weights)  # fmt: skip
    if now.replay is None or not isinstance(replay, Replay):
        problem = reason_text(now.problem) if now.problem is not None else str(replay or "no trace")
        return structs.replace(answer, problem=problem)
    if not now.rounds:
        return structs.replace(answer, problem="the trace has no complete round that is predicted")
    before, after = side_time(now, now.replay, cpu), side_time(now._replace(replay=replay), replay, cpu)
    alone, both = structs.replace(f, sides=(side, side)), (before, before)
    if refused := refused_because(alone, (now, now), (now.replay, now.replay), both):
        return structs.replace(answer, problem=reason_text(refused))
    rows = sorted(_rows(before, after), key=lambda row: (row.without_ns - row.now_ns, -row.now_ns, row.function))
    between = bounded(timing)(before.ns_by_cause, after.ns_by_cause) if before != after else _NO_CHANGE
    doubt = reason_text(between) if isinstance(between, Reason) else ""
    low, high, level = (None, None, None) if isinstance(between, Reason) else between
    if low is not None and high is not None and before.placed:
        ratios = [then / now_ns for now_ns, then in zip(before.placed, after.placed, strict=True)]
        low, high = widened((low, high), after.ns / before.ns, min(ratios), max(ratios))
    return structs.replace(
        answer, now_ns=before.ns, without_ns=after.ns, instructions=before.executed,
        removed=before.executed - after.executed, rows=tuple(rows),
        interval=None if low is None or high is None else (low, high), level=level,
        doubt=doubt, doubts=tuple(dict.fromkeys(map(reason_text, doubts_of(alone, cpu, (now, now), both)))),
    )  # fmt: skip


_NO_CHANGE = (0.0, 0.0, None)


def _rows(before: SideTime, after: SideTime) -> Iterator[WithoutRow]:
    for function in before.functions.keys() | after.functions.keys():
        yield WithoutRow(
            function=function, now_ns=before.ns_in(function), without_ns=after.ns_in(function),
            removed=max(before.executed_in(function) - after.executed_in(function), 0.0),
        )  # fmt: skip
