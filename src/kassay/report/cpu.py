# SPDX-License-Identifier: GPL-2.0-only
"""The CPUs that the measured kernels saw: which kernels agree, and the sentence about each."""

from collections.abc import Iterable, Sequence

from kassay.model.guest import GuestCpu
from kassay.model.measurement import CellEvidence
from kassay.model.report import SeenCpu
from kassay.model.texts import one_line

_SAFE = "Not affected"
_CURED = "Mitigation: "


def seen_cpus(evidence: Iterable[CellEvidence]) -> tuple[SeenCpu, ...]:
    """Each CPU with the kernels that saw it so, in their order; of runs that captured none, nothing."""
    found: dict[GuestCpu, list[str]] = {}
    for item in evidence:
        for measurement in item.measurements[:1]:
            if measurement.cpu is not None:
                found.setdefault(measurement.cpu, []).append(item.label)
    return tuple(SeenCpu(kernels=tuple(dict.fromkeys(labels)), cpu=cpu) for cpu, labels in found.items())


def cpu_facts(seen: Sequence[SeenCpu]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """(kernels, what they saw, in words): one for all kernels of the same words, though new ones list more features."""
    kernels: dict[str, list[str]] = {}
    for one in seen:
        kernels.setdefault(_words(one.cpu), []).extend(one.kernels)
    return tuple((tuple(dict.fromkeys(labels)), words) for words, labels in kernels.items())


def cpu_sentences(seen: Sequence[SeenCpu]) -> tuple[str, ...]:
    """A sentence for each fact; the kernels are named where there are two."""
    facts = cpu_facts(seen)
    if len(facts) == 1:
        return (f"CPU as the kernel saw it: {facts[0][1]}.",)
    return tuple(f"CPU as {', '.join(map(one_line, labels))} saw it: {words}." for labels, words in facts)


def _words(cpu: GuestCpu) -> str:
    parts = [one_line(cpu.name) or "unknown"]
    if cpu.missing:
        parts.append(f"without {' '.join(name.upper() for name in cpu.missing)}")
    cured = [
        f"{item.name} {_first(item.value.removeprefix(_CURED))}"
        for item in cpu.vulnerabilities
        if item.value.startswith(_CURED)
    ]
    others = [item.name for item in cpu.vulnerabilities if not item.value.startswith((_CURED, _SAFE))]
    if cured:
        parts.append(f"mitigations: {', '.join(cured)}")
    if others:
        parts.append(f"not mitigated: {', '.join(map(one_line, others))}")
    if cpu.vulnerabilities and not cured and not others:
        parts.append("not affected by any vulnerability that the kernel knows")
    return "; ".join(parts)


def _first(text: str) -> str:
    """What a state says first: "Retpolines" of "Retpolines; STIBP: disabled; ..."."""
    return one_line(text.partition(";")[0])
