# SPDX-License-Identifier: GPL-2.0-only
"""Run directories of one question, made on several hosts or by several people -> one answer, host by host."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from kassay import __version__, answers
from kassay.analysis.hosts import OfHost, across_parts, of_host
from kassay.errors import BadInput
from kassay.evidence.hosts import hosts_of
from kassay.journal.directory import BESIDE, RunDirectory, open_directory
from kassay.journal.journal import read_journal
from kassay.model.experiment import DEFERRED_WORK, labels
from kassay.model.finding import Finding
from kassay.model.host_comparison import HostComparison, HostRuns, HostsAnswer
from kassay.model.plan import Plan
from kassay.model.reason import Reason, reason
from kassay.model.records import repeats
from kassay.model.run import RunRecord
from kassay.report.words import short_kernel_names
from kassay.spec.rules import question_of

_Key = tuple[object, ...]


class _Part(NamedTuple):
    """One run directory."""

    name: str
    """Name of the directory in tables."""
    folder: RunDirectory
    records: tuple[RunRecord, ...]
    hosts: tuple[HostRuns, ...]
    findings: dict[_Key, Finding]


def put_together(directories: Sequence[Path]) -> HostsAnswer:
    """The answer. Raises BadInput if no comparison was made by two hosts or is in two directories, and for a run that
    two directories have."""
    parts = [_part(path, name) for directory, name in _named(directories) for path in _with_timed(directory)]
    runs = ((record, part) for part in parts for record in dict.fromkeys(part.records) if record.outcome == "ok")
    for part, first in repeats(runs):
        raise BadInput(f"{part.folder.path}: has the same runs as {first.folder.path}",
                       "name directories that the hosts made themselves; a copy is no second host")  # fmt: skip
    keys = dict.fromkeys(key for part in parts for key in part.findings)
    shared = [key for key in keys if len(_of_hosts(parts, key)) > 1]
    if not shared:
        raise BadInput(f"{', '.join(map(str, directories))}: no comparison was made by two hosts",
                       "kernels (images and parameters), workload, settings, machine, rounds and kind of boot must be "
                       "the same: send pinned.toml of one directory to the other host")  # fmt: skip
    plan = parts[0].folder.plan
    names = list(dict.fromkeys(use.name for use in plan.experiment.workloads))
    return HostsAnswer(
        title=question_of(plan.experiment).title(", ".join(names), short_kernel_names(plan.experiment)),
        hosts=_hosts(parts), comparisons=tuple(_across(parts, key, shared) for key in shared),
        notes=tuple(dict.fromkeys((*_differences(parts), *_lacking(parts, shared)))), kassay_version=__version__,
    )  # fmt: skip


def _named(directories: Sequence[Path]) -> list[tuple[Path, str]]:
    """Each directory with a unique name; a single one needs none."""
    if len(directories) == 1:
        return [(directories[0], "")]
    short = [path.resolve().name for path in directories]
    return [(p, name if short.count(name) == 1 else str(p)) for p, name in zip(directories, short, strict=True)]


def _with_timed(directory: Path) -> list[Path]:
    """The directory, and the one of its timed runs, if any."""
    timed = directory / BESIDE
    return [directory, *([timed] if (timed / "plan.json").exists() else [])]


def _part(path: Path, name: str) -> _Part:
    folder = open_directory(path)
    records = read_journal(folder.journal, folder.plan_id)  # all attempts, those that do not count included
    findings = {_key(folder.plan, finding): finding for finding in answers.findings(path) if finding.primary}
    return _Part(name, folder, records, hosts_of(folder, records, name), findings)


def _key(plan: Plan, finding: Finding) -> _Key:
    """Equal for the same comparison in two directories. Kernels are identified by image, parameters and CPU, not by
    their labels."""
    asked = plan.experiment
    how = (asked.boot, asked.rounds, asked.deferred or DEFERRED_WORK[0], asked.background, asked.quiesce)
    uses = zip(plan.kernels, asked.kernels, strict=True)
    booted = [(kernel.image_sha256 or kernel.ref, use.cmdline, use.cpu) for kernel, use in uses]
    kernels = dict(zip(labels(asked), booted, strict=True))
    return (finding.point, finding.metric, how, *(kernels[side.kernel] for side in finding.sides))


def _of_hosts(parts: Sequence[_Part], key: _Key) -> list[OfHost]:
    """Every host's runs of one comparison."""
    return [
        of_host(part.findings[key], host, _host_name(part, host))
        for part in parts if key in part.findings
        for host in dict.fromkeys(name for side in part.findings[key].sides for name in side.made_by)
    ]  # fmt: skip


def _host_name(part: _Part, host: str) -> str:
    return "/".join(word for word in (part.name, host) if word)


def _across(parts: Sequence[_Part], key: _Key, shared: Sequence[_Key]) -> HostComparison:
    like = next(part.findings[key] for part in parts if key in part.findings)
    return across_parts(like, _of_hosts(parts, key), len(shared))


def _hosts(parts: Sequence[_Part]) -> tuple[HostRuns, ...]:
    """Every host once, with the number of all its runs, counted and timed."""
    hosts: dict[str, HostRuns] = {}
    for part in parts:
        for host in part.hosts:
            name = _host_name(part, host.host if host.host != part.name else "")
            old = hosts.get(name, structs.replace(host, host=name, ok=0, failed=0))
            hosts[name] = structs.replace(old, ok=old.ok + host.ok, failed=old.failed + host.failed)
    return tuple(hosts.values())


def _differences(parts: Sequence[_Part]) -> list[Reason]:
    """Other differences between the hosts, each against the first one."""
    first, reasons = parts[0], []
    for part in parts[1:]:
        first_plan, plan = first.folder.plan, part.folder.plan
        if first_plan.machine.clock == plan.machine.clock and first_plan.machine.program != plan.machine.program:
            reasons.append(reason("hosts-other-emulator", host=first.name, program=first_plan.machine.program,
                                  other=part.name, other_program=plan.machine.program))  # fmt: skip
        if first_plan.guest_sha256 != plan.guest_sha256:
            reasons.append(reason("hosts-other-guest", host=first.name, other=part.name))
        if first_plan.plugin_sha256 != plan.plugin_sha256:
            reasons.append(reason("hosts-other-plugin", host=first.name, other=part.name))
    return reasons


def _lacking(parts: Sequence[_Part], shared: Sequence[_Key]) -> list[Reason]:
    names = {part.name for part in parts}
    having = [{part.name for part in parts if key in part.findings} for key in shared]
    return [
        reason("host-without-comparison", host=name) for name in sorted(names) if any(name not in h for h in having)
    ]
