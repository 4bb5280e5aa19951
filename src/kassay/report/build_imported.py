# SPDX-License-Identifier: GPL-2.0-only
"""Findings on others' results -> Report; whatever the files do not tell is called unknown, never filled in."""

from collections.abc import Sequence
from shlex import join, quote

from kassay import __version__
from kassay.clocks import clock_of
from kassay.model.experiment import Experiment, KernelUse, WorkloadUse
from kassay.model.finding import Finding, Ladder
from kassay.model.kernel import KernelIdentity
from kassay.model.machine import MachineIdentity
from kassay.model.reason import Reason, own_words, reason
from kassay.model.report import Report, RunFailure, RunSummary
from kassay.model.run import WallTime
from kassay.model.samples import UNITS_OF_REPLICATION, ImportedKernel, Samples, SampleSeries
from kassay.model.timing import Family, SeedFinding
from kassay.report.sentences import measured_sentence

_SHOWN = 6  # sentences in the answer; the others stand in the tables


def build_imported(
    samples: Samples, findings: tuple[Finding, ...], ladders: tuple[Ladder, ...], families: tuple[Family, ...], *,
    directory: str, plan_id: str, margin: float, seed_rules: tuple[SeedFinding, ...] = (),
) -> Report:  # fmt: skip
    """The whole answer. directory: as the user may type it."""
    experiment = _experiment(samples, margin)
    return Report(
        title=_title(samples),
        verdict=_verdict(findings),
        experiment=experiment,
        kernels=tuple(_kernel(kernel, samples) for kernel in samples.kernels),
        machine=MachineIdentity(
            arch=samples.arch, clock="imported", accelerator="unknown", program=_formats(samples), options=(),
            host=samples.machine,
        ),
        findings=findings,
        ladders=ladders,
        families=families,
        seed_rules=seed_rules,
        runs=_runs(samples),
        audits=(),
        state=reason("memory-of-files"),
        scope=clock_of("imported").scope,
        disclosures=_disclosures(samples),
        next_steps=_next_steps(directory),
        commands=_again(samples, directory),
        spec_toml="",
        wall=WallTime(),
        plan_id=plan_id,
        kassay_version=__version__,
        sources=samples.sources,
        lkp_header=samples.lkp_header,
    )  # fmt: skip


def _experiment(samples: Samples, margin: float) -> Experiment:
    most = max((len(one.samples) for one in samples.series), default=0)
    return Experiment(
        name=samples.name, question="compare" if len(samples.kernels) == 2 else "ladder",
        kernels=tuple(KernelUse(ref=kernel.label) for kernel in samples.kernels),
        workloads=tuple(WorkloadUse(name=name) for name in dict.fromkeys(one.workload for one in samples.series)),
        clock="imported", arch=samples.arch, cpus=(), memory_bytes=(), order="unknown", repeats=most, perturb=0,
        rounds=0, seed=0, margin=margin, timeout_s=0, retries=0, flavour="unknown", boot="unknown", profile="none",
    )  # fmt: skip


def _title(samples: Samples) -> str:
    names = ", ".join(dict.fromkeys(one.workload for one in samples.series if one.primary)) or samples.name
    first, last = samples.kernels[0].label, samples.kernels[-1].label
    return f"What do these results say of {names} from {first} to {last}?"


def _verdict(findings: Sequence[Finding]) -> str:
    primary = [f for f in findings if f.primary]
    said = [measured_sentence(f) for f in primary[:_SHOWN]]
    more = [f"{len(primary) - _SHOWN} further comparisons: see all findings."] if len(primary) > _SHOWN else []
    return " ".join((*said, *more)) or "Nothing here can be compared: no metric has values of two kernels."


def _kernel(kernel: ImportedKernel, samples: Samples) -> KernelIdentity:
    named = kernel.named_by or ", ".join(one.name for one in samples.sources)
    commit = f", commit {kernel.commit}" if kernel.commit else ""
    return KernelIdentity(
        ref=kernel.label, arch=kernel.arch or "unknown", release=kernel.release or kernel.label, image_sha256=None,
        compiler=kernel.compiler, source=f"as named by {named}{commit}; not verified",
    )  # fmt: skip


def _formats(samples: Samples) -> str:
    return ", ".join(dict.fromkeys(source.format for source in samples.sources))


def _runs(samples: Samples) -> RunSummary:
    """Values of the primary metrics, which the others share their boots with."""
    series = [one for one in samples.series if one.primary] or list(samples.series)
    failures = tuple(failure for one in series for failure in _failures(one))
    planned = sum(len(one.samples) for one in series)
    return RunSummary(planned=planned, ok=planned - len(failures), failed=len(failures), refused=0, retried=0,
                      failures=failures)  # fmt: skip


def _failures(series: SampleSeries) -> list[RunFailure]:
    return [
        RunFailure(
            run=one.run, cell=series.metric, kernel=series.kernel, attempt=1, outcome="failed", detail=one.detail
        )
        for one in series.samples
        if one.value is None
    ]


def _disclosures(samples: Samples) -> tuple[Reason, ...]:
    files = (reason("read-from", file=one.name, format=one.format, sha256=one.sha256) for one in samples.sources)
    value = reason("one-value-is", because=UNITS_OF_REPLICATION[samples.replication])
    return (*files, value, *map(own_words, samples.notes))


def _again(samples: Samples, directory: str) -> tuple[str, ...]:
    """What reads the same files again and judges them; nothing for an import that does not know its command."""
    if not samples.command:
        return ()
    out = f"{quote(directory)}-again"
    return (f"{join(samples.command)} --out {out}", f"kassay report {out}")


def _next_steps(directory: str) -> tuple[str, ...]:
    return (
        f"kassay report {quote(directory)} --rules seed  (what the seeds' own rules say of the same values)",
        f"kassay report {quote(directory)} --format markdown  (every figure, to paste into a mail)",
    )
