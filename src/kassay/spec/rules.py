# SPDX-License-Identifier: GPL-2.0-only
"""Rules across fields: what no experiment may ask for. One small function each; all problems are reported."""

import re
from collections.abc import Callable, Iterator

from msgspec import UNSET, structs

from kassay.errors import BadInput, nearest_of
from kassay.model.experiment import APART, BOOTS, DEFERRED_WORK, ORDERS, SCHEMA, Experiment
from kassay.model.kernel import parse_ref
from kassay.model.kinds import kinds
from kassay.model.machine import SAMPLED, SCHED, STATE
from kassay.model.profile import PROFILES
from kassay.model.program import LEAST_MS, MOST_MS, checks, name_of
from kassay.model.question import QUESTIONS, Question
from kassay.model.remote_machine import parse_ssh
from kassay.model.units import format_bytes, parse_bytes
from kassay.registry import discover, load, names
from kassay.spec.programs import KEYS
from kassay.supply.arches import arches
from kassay.supply.clocks import listed, measuring, profiling
from kassay.supply.cpus import cpus_for

_LEAST_FRACTION = 8
_POLICIES = ("always", "madvise", "never", "inherit")
_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_SIZE_POLICY = re.compile(rf"[2-8]=(?:{'|'.join(_POLICIES)})")
_LEAST_NODE, _LEAST_SIZE = 128 << 20, 1 << 20
_LEAST_TRACE, _MOST_TRACE = 64 << 10, 4 << 30
_OF_GUESTS = ("nodes", "swap", "memcg", "sched")
_FAR = tuple(name for name, clock in measuring().items() if clock.elsewhere)
_COUNTS = (
    ("repeats", 1, 1000), ("perturb", 0, 1000), ("rounds", 2, 100_000), ("timeout_s", 1, 86_400),
    ("retries", 0, 10), ("seed", 0, (1 << 63) - 1),
    ("background", 0, 64),
)  # fmt: skip


def problems(experiment: Experiment) -> Iterator[str]:
    """Every problem of an experiment as "location: sentence"; nothing when it is sound."""
    unreadable = tuple(_texts(experiment))
    for rule in (_texts,) if unreadable else _RULES:  # other rules would print such text
        yield from rule(experiment)


def _words(e: Experiment) -> Iterator[str]:
    for name, value, choices in (
        ("order", e.order, ORDERS),
        ("clock", e.clock, tuple(measuring())), ("arch", e.arch, tuple(arches())), ("schema", e.schema, (SCHEMA,)),
        ("boot", e.boot, BOOTS), ("profile", e.profile, PROFILES),
        ("deferred", e.deferred or DEFERRED_WORK[0], DEFERRED_WORK),
    ):  # fmt: skip
        if value not in choices:
            yield f"{name}: unknown {value!r}; {nearest_of(value, choices)}"


def _questions(e: Experiment) -> Iterator[str]:
    if _question(e) is None:
        questions = discover(QUESTIONS, "QUESTION", Question).values()
        known_names = [question.name for question in questions if question.kernels is not None]
        yield f"question: unknown {e.question!r}; {nearest_of(e.question, known_names)}"


def question_of(e: Experiment) -> Question:
    """The question of an experiment. Raises BadInput if this version does not know it."""
    if (question := _question(e)) is None:
        raise BadInput("\n".join(_questions(e)))
    return question


def _question(e: Experiment) -> Question | None:
    if e.question not in names(QUESTIONS):
        return None
    question = load(QUESTIONS, e.question, "QUESTION", Question)
    return question if question.kernels is not None else None


def _counts(e: Experiment) -> Iterator[str]:
    for name, low, high in _COUNTS:
        value = getattr(e, name)
        if not low <= value <= high:
            yield f"{name}: {value} is outside {low}..{high}"
    if not 0 < e.margin < 1:
        yield f"margin: {e.margin} is outside 0..1; 0.01 means 1 %"


def _machines(e: Experiment) -> Iterator[str]:
    for name, values, low, high, text_of in (
        ("cpus", e.cpus, 1, 255, str), ("memory_bytes", e.memory_bytes, 128 << 20, 1 << 42, format_bytes),
    ):  # fmt: skip
        if not values:
            yield f"{name}: needs at least one value"
        if len(set(values)) < len(values) and not e.paired:
            yield f"{name}: the same value twice"
        for index, value in enumerate(values):
            if not low <= value <= high:
                yield f"{name}[{index}]: {text_of(value)} is outside {text_of(low)}..{text_of(high)}"
    pairs = set(zip(e.cpus, e.memory_bytes, strict=False))
    if e.paired and not len(e.cpus) == len(e.memory_bytes) == len(pairs):
        yield (
            f"paired: cpus has {len(e.cpus)} values and memory_bytes {len(e.memory_bytes)}; each needs one of the "
            "other, and no pair may come twice"
        )
    for index, value in enumerate(e.memory_bytes):
        if value % 8192:
            yield f"memory_bytes[{index}]: {value} is not a multiple of 8 KiB, as QEMU wants it"
    if _fixed(e) and (e.cpus, e.memory_bytes) != ((1,), (1 << 30,)):
        yield f"clock {e.clock}: measures {_which(e)}; cpus and memory cannot be chosen"
    if _native(e) and any(k.cmdline for k in e.kernels):
        yield f"clock {e.clock}: measures {_which(e)}; kernel parameters cannot be chosen"


def _kernels(e: Experiment) -> Iterator[str]:
    question = _question(e)
    if question is None or question.kernels is None:
        return
    allowed, count = question.kernels, len(e.kernels)
    if count < allowed.least or (allowed.most is not None and count > allowed.most):
        yield f"kernels: {allowed.rule}" + (f"; {count} given" if allowed.most is not None else "")
    for index, use in enumerate(e.kernels):
        try:
            ref = parse_ref(use.ref, e.arch)
        except BadInput as error:
            yield f"kernels[{index}].ref: {error}"
            continue
        if ref.arch != e.arch:
            yield f"kernels[{index}].ref: {use.ref!r} is for {ref.arch}, the experiment for {e.arch}"
        if kinds()[ref.kind].native != _native(e):
            native = " or ".join(name for name, clock in measuring().items() if clock.native)
            wrong = f"{use.ref!r} with clock {e.clock!r}"
            yield f"kernels[{index}].ref: {wrong}: kernel host and clock {native} go together"
        if use.against is not None and (not question.against or use.against not in range(len(e.kernels))):
            yield f"kernels[{index}].against: {use.against}: the place of another kernel of a series, from 0"
        if use.draw is not None and not 0 <= use.draw < 1 << 32:
            yield f"kernels[{index}].draw: {use.draw}: outside 0..{(1 << 32) - 1}"
        if use.name and (not use.name.isprintable() or len(use.name) > 100):
            yield f"kernels[{index}].name: must be one printable line of at most 100 characters"
        if not use.cmdline.isprintable() or len(use.cmdline) > 1400:
            yield f"kernels[{index}].cmdline: must be one printable line of at most 1400 characters"
    draws = [index if use.draw is None else use.draw for index, use in enumerate(e.kernels)]
    if len(set(draws)) < count:
        yield "kernels: two have the same draw, so their perturbed runs would show no differences"


def _workloads(e: Experiment) -> Iterator[str]:
    if not e.workloads:
        yield "workloads: needs at least one"
    for index, use in enumerate(e.workloads):
        yield from (
            f"workloads[{index}].set.{axis.name}: needs at least one value" for axis in use.axes if not axis.values
        )


def _programs(e: Experiment) -> Iterator[str]:
    workload_names = [use.name for use in e.workloads]
    for index, use in enumerate(e.workloads):
        if not use.program:
            continue
        at, program = f"workloads[{index}]", use.program
        if workload_names.count(use.name) > 1:
            yield f"{at}.name: {use.name!r} is the name of two workloads; give the program another one with name"
        if (plain := name_of(f"{use.name}.c")) != use.name:
            yield f"{at}.name: {use.name!r}: write at most 40 letters, digits, '_', '.' and '-', such as {plain!r}"
        if program != structs.replace(program, sha256="") and not re.fullmatch("[0-9a-f]{64}", program.sha256):
            yield f"{at}.sha256: not the hash of a program; leave it out"
        if not LEAST_MS <= program.limit_ms <= MOST_MS:
            yield f"{at}.limit_ms: {program.limit_ms} is outside {LEAST_MS}..{MOST_MS}"
        for text in program.env:
            if not re.match("[A-Za-z_][A-Za-z0-9_]*=", text):
                yield f"{at}.env: {text!r}: write NAME=VALUE"
        for text in program.require:
            if not checks((text,)):
                yield f"{at}.require: {text!r}: write NAME==VALUE, or !=, <=, >=, without blanks"
        statuses = [check for check in checks(program.require) if check.name == "status"]
        for check in statuses:
            if check.operator != "==" or check.value not in map(str, range(256)):
                yield f"{at}.require: 'status{check.operator}{check.value}': write status==N, N from 0 to 255"
        if len({check.value for check in statuses}) > 1:
            yield f"{at}.require: status: an execution ends with one status; leave the other out"
        arguments = () if program.application else (*program.args, *program.env)
        if any("\n" in word for word in arguments) or len(arguments) > 40 or sum(map(len, arguments)) > 2500:
            yield f"{at}: args and env: at most 40 words, 2500 characters, and no newline"
        if program.work and (program.counted or program.marks or program.application):
            yield f"{at}.work: {program.work}: only whole executions are divided by what they print; leave from, to out"
        if program.work and e.predict:
            yield f"{at}.work: {program.work}: time is predicted for executions, not for printed operations"
        if program.counted and (e.profile == "none" or e.clock not in profiling()):
            yield f"{at}: its rounds are counted by the profile, with clock {listed(profiling())} and not profile none"
        if _fixed(e):
            yield f"{at}.program: clock {e.clock} measures {_which(e)}, and programs run in a guest only"


def _texts(e: Experiment) -> Iterator[str]:
    texts = (
        e.name,
        e.flavour,
        e.machine or "",
        *(w for k in e.kernels for w in (k.ref, k.cmdline, k.name)),
        *(u.name for u in e.workloads),
    )
    if any(map(_UNREADABLE.search, texts)):
        yield "a name or reference holds a NUL, or bytes that are not UTF-8 text"
    for index, use in enumerate(e.workloads):
        for key, field in KEYS.items() if use.program else ():
            value = getattr(use.program, field)
            words = value if isinstance(value, tuple) else (value,)
            if any(isinstance(word, str) and _UNREADABLE.search(word) for word in words):
                yield f"workloads[{index}].{key}: holds a NUL, or bytes that are not UTF-8 text"


def _snapshots(e: Experiment) -> Iterator[str]:
    clock, arch = measuring().get(e.clock), arches().get(e.arch)
    can = clock is not None and clock.repeats_exactly and arch is not None and arch.qemu.snapshots
    if e.boot == "snapshot" and not (can and set(e.cpus) == {1}):
        counting = listed(name for name, other in measuring().items() if other.repeats_exactly)
        saving = listed(name for name, other in arches().items() if other.qemu.snapshots)
        yield f'boot: "snapshot" is for clock {counting} on {saving} with one CPU; use "short"'


def _emulated(e: Experiment) -> Iterator[str]:
    arch = arches().get(e.arch)
    if arch is not None and not _fixed(e) and max(e.cpus, default=1) > arch.qemu.most_cpus:
        yield f"cpus: QEMU's machine for {e.arch} has at most {arch.qemu.most_cpus}"


def _cpus(e: Experiment) -> Iterator[str]:
    named = [(f"cpu[{index}]", name) for index, name in enumerate(e.cpu or ())]
    cpus_of_kernels = [(f"kernels[{index}].cpu", use.cpu) for index, use in enumerate(e.kernels) if use.cpu]
    known_cpus = cpus_for(e.arch) if named or cpus_of_kernels else ()
    wrong = ((at, name) for at, name in named + cpus_of_kernels if name not in known_cpus)
    yield from (f"{at}: no {name!r} for {e.arch}; {nearest_of(name, known_cpus)}" for at, name in wrong)
    if e.cpu is not UNSET and len(set(e.cpu)) < max(1, len(e.cpu)):
        yield "cpu: needs at least one value, and each once"
    if cpus_of_kernels and len(named) > 1:
        yield "cpu: several, and a kernel with one of its own; give one of the two"
    if _fixed(e) and (named or cpus_of_kernels):
        yield f"clock {e.clock}: measures {_which(e)}; its cpu cannot be chosen"


def _state(e: Experiment) -> Iterator[str]:
    """Settings of the machine's memory."""
    asked = [name for name in ("nodes", *STATE) if getattr(e, name) is not UNSET]
    lacking = asked if _native(e) else [name for name in asked if name in _OF_GUESTS and _fixed(e)]
    if lacking:
        guests = listed(name for name, clock in measuring().items() if not clock.fixed)
        yield f"{lacking[0]}: cannot be chosen: {e.clock} measures {_which(e)}; leave it out, or use clock {guests}"
    if e.thp is not UNSET and e.thp not in _POLICIES[:3]:
        yield f"thp: unknown {e.thp!r}; {nearest_of(e.thp, _POLICIES[:3])}"
    if e.mthp is not UNSET and not all(_SIZE_POLICY.fullmatch(item) for item in e.mthp.split(",")):
        policies = ", ".join(_POLICIES)
        yield f"mthp: {e.mthp!r}: write ORDER=POLICY, as in 4=always; orders from 2 to 8, policies {policies}"
    elif e.mthp is not UNSET and len({item.partition("=")[0] for item in e.mthp.split(",")}) <= e.mthp.count(","):
        yield f"mthp: {e.mthp!r}: an order has two policies"
    if e.dirty_ratio is not UNSET and not re.fullmatch(r"[1-9]\d?|100", e.dirty_ratio):
        yield f"dirty_ratio: {e.dirty_ratio!r} is outside 1..100 (per cent)"
    fraction = e.percpu_high_fraction
    if fraction is not UNSET and not (re.fullmatch(r"[1-9]\d{0,8}", fraction) and int(fraction) >= _LEAST_FRACTION):
        yield f"percpu_high_fraction: {fraction!r}: a number of at least {_LEAST_FRACTION}, as the kernel asks for"
    if e.sched is not UNSET and e.sched not in SCHED:
        yield f"sched: unknown {e.sched!r}; {nearest_of(e.sched, SCHED)}"
    if e.sampled is not UNSET and e.sampled not in SAMPLED:
        yield f"sampled: unknown {e.sampled!r}; {nearest_of(e.sampled, SAMPLED)}"
    least, most = min(e.memory_bytes, default=0), max(e.memory_bytes, default=0)
    for name, text in (("swap", e.swap), ("memcg", e.memcg)):
        if text is not UNSET and (problem := _size_problem(name, text)):
            yield f"{name}: {problem}"
        elif name == "memcg" and text is not UNSET and not _fixed(e) and parse_bytes(text) > most:
            yield f"memcg: {text} is more than {format_bytes(most)} of memory, so it would limit nothing"
    if e.nodes is not UNSET and not 2 <= e.nodes <= 8:
        yield f"nodes: {e.nodes} is outside 2..8; a machine has one node where it is left out"
    elif e.nodes is not UNSET and least < e.nodes * _LEAST_NODE:
        yield f"nodes: {e.nodes} of at least 128MiB do not fit into {format_bytes(least)} of memory"


def _size_problem(name: str, text: str) -> str:
    kind, colon, size = text.rpartition(":")
    if (kind, colon) != (("zram", ":") if name == "swap" else ("", "")):
        return f"{text!r}: write zram:SIZE, as in zram:256MiB" if name == "swap" else f"{text!r} is no size"
    try:
        return "" if parse_bytes(size) >= _LEAST_SIZE else f"{size} is less than {format_bytes(_LEAST_SIZE)}"
    except ValueError as error:
        return str(error)


def _profiles(e: Experiment) -> Iterator[str]:
    clock = measuring().get(e.clock)
    if clock is None or e.profile not in PROFILES or e.profile in ("auto", "none"):
        return
    if not clock.profile_cpus:
        needed = " or ".join(profiling())
        yield f'profile: {e.profile!r} needs clock {needed}; with {clock.name} use "auto" or "none"'
    elif max(e.cpus, default=1) > clock.profile_cpus == 1:
        yield f'profile: {e.profile!r} under {clock.name} is for one CPU; use clock {profiling()[0]}, or "none"'
    elif max(e.cpus, default=1) > clock.profile_cpus:
        yield f"profile: {e.profile!r} is for at most {clock.profile_cpus} CPUs"


def _deferred(e: Experiment) -> Iterator[str]:
    """Problems of a value without deferred work. It needs the profile of every run, which tells how much that work
    was."""
    clock = measuring().get(e.clock)
    if not e.apart or clock is None:
        return
    if not (clock.counts_work and clock.profile_cpus) or e.profile == "none":
        counting = listed(name for name in profiling() if measuring()[name].counts_work)
        yield f'deferred: "{APART}" takes the profile of each run: use clock {counting}, and not profile none'
    if e.predict:
        yield f'deferred: a prediction has deferred work in it: leave out predict, or "{APART}"'


def _predictions(e: Experiment) -> Iterator[str]:
    """Check that time can be predicted at all. The CPUs are checked when their data is read."""
    clock = measuring().get(e.clock)
    if e.trace_budget is not UNSET and (problem := _budget_problem(e.trace_budget)):
        yield f"trace_budget: {problem}"
    if e.predict is UNSET:
        return
    if not e.predict or not all(e.predict) or len(set(e.predict)) < len(e.predict):
        yield "predict: needs at least one CPU, and each once"
    if clock is not None and not (clock.counts_work and clock.profile_cpus):
        counting = listed(name for name in profiling() if measuring()[name].counts_work)
        yield f"predict: is made from exact counts: use clock {counting}, not {e.clock}"


def _budget_problem(text: str) -> str:
    try:
        fits = _LEAST_TRACE <= parse_bytes(text) <= _MOST_TRACE
    except ValueError as error:
        return str(error)
    return "" if fits else f"{text} is outside {format_bytes(_LEAST_TRACE)}..{format_bytes(_MOST_TRACE)}"


def _times(e: Experiment) -> Iterator[str]:
    if e.clock in measuring() and e.timed and e.perturb:
        yield "perturb: moves what exact counts must not depend on; where time is measured every boot counts, so use 0"


def _contaminations(e: Experiment) -> Iterator[str]:
    if _fixed(e) and (e.background or not e.quiesce):
        yield f"clock {e.clock}: there is no guest, so quiesce and background cannot be chosen"


def _elsewhere(e: Experiment) -> Iterator[str]:
    clock = measuring().get(e.clock)
    elsewhere = clock is not None and clock.elsewhere
    if e.on is not UNSET and not elsewhere:
        yield f"on: clock {e.clock} measures here; {listed(_FAR)} measures on another machine"
    elif elsewhere and e.on is UNSET:
        yield f"on: clock {e.clock} needs a machine: --on ssh://USER@HOST"
    elif e.on is not UNSET:
        try:
            parse_ssh(e.on)
        except BadInput as error:
            yield f"on: {error}"


def _native(e: Experiment) -> bool:
    """True if nothing is booted. False for an unknown clock, which another rule reports."""
    clock = measuring().get(e.clock)
    return clock is not None and clock.native


def _fixed(e: Experiment) -> bool:
    """True if the machine cannot be configured."""
    clock = measuring().get(e.clock)
    return clock is not None and clock.fixed


def _which(e: Experiment) -> str:
    return "this very machine" if _native(e) else "a machine as it is"


_RULES: tuple[Callable[[Experiment], Iterator[str]], ...] = (
    _questions, _words, _counts, _machines, _kernels, _workloads, _snapshots, _emulated, _profiles, _deferred,
    _contaminations, _times, _cpus, _programs, _state, _predictions, _elsewhere,
)  # fmt: skip
