# SPDX-License-Identifier: GPL-2.0-only
"""`kassay calibrate`: measures this machine, and writes a timing file; what was not measured is of the nearest CPU."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from kassay.effects import clock, files
from kassay.effects.lock import locked, refusing
from kassay.errors import BadInput, HostLacks
from kassay.labs.predict.calibrate import machine as machines
from kassay.labs.predict.calibrate import others, privileged, program, samples
from kassay.labs.predict.calibrate.derive import parameters_of
from kassay.labs.predict.calibrate.facts import Estimate, Facts
from kassay.labs.predict.calibrate.forms import left_overrides, overrides_of, times_of, with_ports
from kassay.labs.predict.calibrate.points import Group, groups
from kassay.labs.predict.calibrate.system import reason_of, system_of
from kassay.labs.predict.calibrate.text import timing_text
from kassay.labs.predict.interval import IntervalTable, unlearned
from kassay.labs.predict.parameters import parameters
from kassay.labs.predict.timing import (
    ASSUMED,
    MEASURED,
    SCHEMA,
    LineLevel,
    Machine,
    Quantity,
    Timing,
    calibrations,
    is_shipped,
    parse,
    path_of,
    read,
    timing_for,
    timings,
)
from kassay.model.progress import Progress, Tell
from kassay.supply.cpus import spelt

_NO_CHANGES = "no changes were measured here"
"""Source of an interval. Files of earlier versions with this source may have the number of another CPU's changes."""


class Calibrated(NamedTuple):
    """Result of calibrating this machine."""

    path: Path
    """Path of the written file."""
    timing: Timing
    began: int
    """Number of groups that an earlier calibration, which was killed, had measured; each repeat of a group counts."""
    measured: tuple[str, ...]
    """Parameters that come from the probes."""
    left: tuple[str, ...]
    """Parameters that come from the nearest CPU."""
    taken: machines.Nearest
    """CPU that gave the parameters in `left`."""
    corrected: int
    """Number of forms of instructions whose measured time differs from the nearest CPU's."""
    forms: int
    """Number of forms of instructions that were measured."""
    others: float = 0.0
    """Number of CPUs that other programs, or other guests, used on average meanwhile."""


def calibrate(name: str, *, like: str, repeats: int, fresh: bool, tell: Tell, out: Path | None = None) -> Calibrated:
    """Measures this machine and writes NAME.toml.

    like: name of the timing file that gives what cannot be measured; "" for that of this very CPU. out: the file to
    write, else it is one of the user's calibrations. Raises BadInput for a name that is taken and for a file of another
    machine, HostLacks without a compiler.
    """
    own = _own_path(name, out)
    path = out if out is not None else own
    journal = calibrations() / f".{name}.samples"
    with locked(calibrations() / f".{name}.lock", refusing(f"the calibration {name}", "choose another name")):
        host = machines.host_machine(program.run(("add_chain",), 1).hypervisor)
        _same_machine(path, host)
        taken = (
            machines.Nearest(like, known=True)
            if like
            else machines.nearest_cpu(host, machines.host_features(), machines.caches())
        )
        nearest = timing_for(taken.name)
        if nearest.arch != host.arch:
            raise BadInput(f"--like {like}: a CPU of {nearest.arch}, and this machine is {host.arch}",
                           "name a CPU of this architecture")  # fmt: skip
        if fresh:
            journal.unlink(missing_ok=True)
        before, began = samples.begin(journal, host, program.program_id()), others.now()
        recorded = [*before, *measure(groups(), repeats, before, journal, tell)]
        used = others.cpus_since(began)
        timing = timing_of(name, host, nearest, recorded)
        if others.are_noted(used):
            timing = replace(timing, summary=f"{timing.summary} while others used {used:.1f} CPUs")
        timing = replace(timing, interval=_interval(path, timing))
        text = timing_text(timing, like=nearest.name if is_shipped(path_of(nearest.name)) else "")
        _check_credible(text, str(path))
        files.write_atomic(path, text.encode())
        journal.unlink(missing_ok=True)
    names = [*timing.parameters, *timing.system]
    left = tuple(key for key in names if timing.machine is not None and key in timing.machine.missing)
    corrected = sum(len(override.forms) for override in timing.overrides) - sum(
        len(override.forms) for override in nearest.overrides
    )
    measured = tuple(key for key in names if key not in left)
    forms = len(times_of(samples.quantities(recorded)))
    return Calibrated(path, timing, len(before), measured, left, taken, corrected, forms, used)


def _check_credible(text: str, origin: str) -> None:
    """Raises HostLacks for values that no CPU has: something else ran on the CPUs meanwhile."""
    try:
        parse(text, origin)
    except BadInput as error:
        (tasks, cpus), (first, *more) = machines.load(), error.what.splitlines()
        further = f" (and {len(more)} more)" if more else ""
        raise HostLacks(
            f"what was measured makes no timing file: {first}{further}. The load of this host is {tasks:.1f} tasks on "
            f"{cpus} CPUs, of which the calibration is one",
            "end what else runs on it, and calibrate again with --fresh, or with more --repeats, too",
        ) from error


def measure(asked: Sequence[Group], repeats: int, before: Sequence[samples.Repeat], journal: Path | None,
            tell: Tell) -> list[samples.Repeat]:  # fmt: skip
    """Every group in turn, `repeats` times, except for what `before` has already."""
    done = {(repeat.repeat, repeat.group) for repeat in before}
    todo = [(number, group) for number in range(repeats) for group in asked if (number, group.name) not in done]
    whole, measured = repeats * len(asked), []
    for at, (number, group) in enumerate(todo):
        tell(Progress(stage="calibrate", subject=f"repeat {number + 1}/{repeats}", text=group.name,
                      done=(whole - len(todo) + at) / whole))  # fmt: skip
        measured.append(samples.repeat_of(number, group.name, program.run(group.words, group.samples)))
        if journal is not None:
            samples.add(journal, measured[-1])
    tell(Progress(stage="calibrate", subject=f"repeat {repeats}/{repeats}", text="", done=1.0))
    return measured


def timing_of(name: str, host: machines.HostMachine, nearest: Timing, recorded: Sequence[samples.Repeat]) -> Timing:
    """The timing file of this machine: what was measured, and from `nearest` what was not, each marked."""
    every, refused = samples.quantities(recorded), samples.refusals(recorded)
    measured, exits = privileged.split_exits(every, hypervisor=bool(host.hypervisor))
    refused |= exits
    nearest, ports = with_ports(nearest, measured)
    like = {key: quantity.value for key, quantity in nearest.parameters.items()}
    estimates, unknown = parameters_of(Facts(measured, machines.caches(), like))
    _fit_ways(estimates, nearest)
    system = system_of(measured, nearest.system)
    repeats = len({repeat.repeat for repeat in recorded})
    missing = {
        key: unknown.get(key) or reason_of(key, system=key in nearest.system, refused=refused, measured=measured)
        for key in (*nearest.parameters, *nearest.system)
        if key not in estimates and key not in system and key not in ports
    }
    timing = replace(
        nearest,
        schema=SCHEMA, name=name, calibrated=True,
        summary=_summary(host),
        ghz=_quantity(_core_ghz(recorded), repeats),
        interval=unlearned(_NO_CHANGES),
        parameters={key: _quantity(estimates[key], repeats, whole=parameters()[key].whole) if key in estimates
                    else quantity if key in ports else _left(quantity, nearest.name)
                    for key, quantity in nearest.parameters.items()},
        system={key: _quantity(system[key], repeats) if key in system else _left(quantity, nearest.name)
                for key, quantity in nearest.system.items()},
        fusion=replace(nearest.fusion, source=_unmeasured(nearest.fusion.source, nearest.name)),
        micro_ops=tuple(replace(rule, source=_unmeasured(rule.source, nearest.name)) for rule in nearest.micro_ops),
        lines=tuple(_left_level(level, nearest.name) for level in nearest.lines),
        machine=Machine(
            cpuinfo=host.cpuinfo, hypervisor=host.hypervisor, kernel=host.kernel, thp=host.thp,
            when=clock.utc_now()[:10],
            missing=missing, measured=_composites(measured, repeats),
        ),
    )  # fmt: skip
    return replace(timing, overrides=(*overrides_of(measured, timing), *left_overrides(measured, nearest)))


def _summary(host: machines.HostMachine) -> str:
    under = f", under {host.hypervisor}" if host.hypervisor else ""
    return f"{machines.cpu_words(host.cpuinfo)}{under}, calibrated"


def _core_ghz(recorded: Sequence[samples.Repeat]) -> Estimate:
    hz = samples.core_hz(recorded)
    return Estimate(hz.value / 1e9, hz.low / 1e9, hz.high / 1e9, hz.n, "chain of additions")


def estimates_of(timing: Timing, recorded: Sequence[samples.Repeat], *, hypervisor: bool) -> dict[str, Estimate]:
    """The clock, parameters and costs of system instructions that this machine has now, by their names in a file."""
    measured, _ = privileged.split_exits(samples.quantities(recorded), hypervisor=hypervisor)
    like = {key: quantity.value for key, quantity in timing.parameters.items()}
    estimates = parameters_of(Facts(measured, machines.caches(), like)).estimates
    return {"ghz": _core_ghz(recorded), **estimates, **system_of(measured, timing.system)}


def compared(timing: Timing, measured: Mapping[str, Estimate]) -> list[tuple[str, float, float]]:
    """Values that a file and this machine disagree on by more than both spreads: name, the file's, measured."""
    rows, files_own = [], {"ghz": timing.ghz, **timing.parameters, **timing.system}
    for name, estimate in measured.items():
        file = files_own[name]
        apart = estimate.low > file.high * 1.1 or estimate.high < file.low * 0.9
        if apart and abs(estimate.value - file.value) > 0.15 * max(estimate.value, file.value):
            rows.append((name, file.value, estimate.value))
    return rows


def _own_path(name: str, out: Path | None = None) -> Path:
    """The file of the user's calibration NAME. out: the file that is written instead, which may have this name.

    Raises BadInput for a word that is no name. Raises it as well for the name of another file, since a prediction is
    known by its name alone.
    """
    if not name.replace("_", "").isalnum() or not name.isascii() or not name.islower():
        raise BadInput(f"{name!r} is no name for a timing file", "small letters, digits and _, such as build_server")
    path = calibrations() / f"{name}.toml"
    taken = next((file for known, file in timings().items() if spelt(known) == spelt(name)), path)
    if taken != path and (out is None or taken.resolve() != out.resolve()):
        raise BadInput(f"{name}: kassay has a timing file of that name: {taken}", "choose another name")
    return path


def _same_machine(path: Path, host: machines.HostMachine) -> None:
    """Raises BadInput where a file of that name is of another machine: it would be lost."""
    if not path.exists():
        return
    for difference in machines.differences_of(read(path).machine, host):
        raise BadInput(
            f"{path}: calibrated on another machine: {difference}", "choose another name, or remove the file"
        )


def _interval(path: Path, timing: Timing) -> IntervalTable:
    """Interval in an earlier file of this machine, which stays until it is learned again."""
    before = read(path) if path.exists() else None
    if before is None or before.machine is None or not before.interval.n or _NO_CHANGES in before.interval.source:
        return timing.interval
    when = f"; learned with the calibration of {before.machine.when}"
    return replace(before.interval, source=before.interval.source.partition("; learned")[0] + when)


def _fit_ways(estimates: dict[str, Estimate], nearest: Timing) -> None:
    """Sizes become multiples of their ways; what was fully associative stays so."""
    for entries, ways in (("dtlb_entries", "dtlb_ways"), ("stlb_entries", "stlb_ways")):
        estimate, count = estimates.get(entries), nearest.parameters[ways].value
        if estimate is None:
            continue
        if count == nearest.parameters[entries].value:
            estimates[ways] = estimate._replace(how=f"one set: as many as {entries}")
        else:
            whole = max(count, estimate.value // count * count)
            estimates[entries] = estimate._replace(value=whole, low=min(estimate.low, whole))


def _quantity(estimate: Estimate, repeats: int, *, whole: bool = False) -> Quantity:
    digits = 0 if whole else 2
    value, low, high = (round(number, digits) for number in (estimate.value, estimate.low, estimate.high))
    return Quantity(value=value, low=min(low, value), high=max(high, value), status=MEASURED,
                    source=f"measured: {estimate.how}; {estimate.n} samples in {repeats} repeats")  # fmt: skip


def _left(quantity: Quantity, name: str) -> Quantity:
    return replace(quantity, status=ASSUMED, source=_unmeasured(quantity.source, name))


def _left_level(level: LineLevel, name: str) -> LineLevel:
    return replace(level, cpus_source=_unmeasured(level.cpus_source, name), ns=_left(level.ns, name))


def _unmeasured(source: str, name: str) -> str:
    return f"not measured, as of {name}: {source}"


def _composites(measured: Mapping[str, samples.Measured], repeats: int) -> dict[str, Quantity]:
    """Whole operations of the running kernel and of two CPUs, in cycles: what predictions can be compared with."""
    kinds = (
        "entry", "fault_", "discard", "protect", "map_cycle", "cross_", "walk", "chase_", "lock_", "read_atomic",
        "write_atomic",
    )  # fmt: skip
    return {
        word: _quantity(Estimate(*point, "cycles of one operation"), repeats)
        for word, point in measured.items()
        if word.startswith(kinds)
    }
