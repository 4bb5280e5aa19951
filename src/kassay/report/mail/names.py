# SPDX-License-Identifier: GPL-2.0-only
"""Names of kernels, work and units in a mail, which its readers already know."""

import re
from collections import Counter

from kassay.model.experiment import labels
from kassay.model.finding import Finding, Ladder
from kassay.model.kernel import KernelIdentity
from kassay.model.reason import Reason
from kassay.model.reason_texts import reason_text, starts_with_name
from kassay.model.records import grouped
from kassay.model.report import Report
from kassay.model.texts import granted_texts, settings_text
from kassay.report.mail.text import ascii_text, stopped
from kassay.report.sentences import AtMetric, subject
from kassay.report.words import names_by_label
from kassay.supply.clocks import clock_of

_LONGEST = 36
_RELEASE = re.compile(r"(\d+\.\d+)(?:\.(\d+))?(?:-(rc\d+))?(?![\d.])")
_BRACKETS = re.compile(r" \(.*\)$")


def mail_names(report: Report) -> dict[str, str]:
    """Each kernel's name by its label: "v6.17.13" where it is a release of the archive, else as the user wrote it."""
    all_labels = labels(report.experiment)
    kernels = dict(zip(all_labels, report.kernels, strict=False))
    short = names_by_label(report)
    given = {label for label, use in zip(all_labels, report.experiment.kernels, strict=False) if use.name == label}
    archived = {label: kernel for label, kernel in kernels.items() if label not in given and "debian:" in kernel.ref}
    tags = {label: release_tag(archived.get(label)) for label in all_labels}
    tag_counts = Counter(tags.values())
    unique = {label: tag for label, tag in tags.items() if tag and tag_counts[tag] == 1}
    chosen = {label: unique.get(label) or _short(short[label]) for label in all_labels}
    name_counts = Counter(chosen.values())
    return {
        label: name if name_counts[name] == 1 else f"{name} (#{i})" for i, (label, name) in enumerate(chosen.items(), 1)
    }


def mail_name(report: Report, label: str) -> str:
    """The name of one kernel; a label that no kernel has is its own name."""
    return mail_names(report).get(label) or _short(label)


def everyday_text(report: Report, why: Reason) -> str:
    """A reason in everyday words, with the kernels called as in the rest of the mail."""
    return ascii_text(reason_text(why, mail_names(report), everyday=True))


def everyday_sentence(report: Report, why: Reason) -> str:
    """The same as a sentence of its own."""
    text = everyday_text(report, why)
    return stopped(text if starts_with_name(why) else f"{text[:1].upper()}{text[1:]}")


def release_tag(kernel: KernelIdentity | None) -> str:
    """The upstream tag of a kernel's release: "v6.17.13", "v6.19-rc3"; else ""."""
    release = kernel.release if kernel is not None else ""
    match = _RELEASE.match(release)
    if match is None:
        return ""
    version, patch, candidate = match.groups()
    if candidate:
        return f"v{version}-{candidate}"
    return f"v{version}.{patch}" if patch and patch != "0" else f"v{version}"


def work_text(report: Report, result: AtMetric) -> str:
    """The work as the start of a sentence; the workload's name and its parameters if nothing more is known."""
    workload = next((w for w in report.workloads if w.name == result.workload), None)
    if workload is not None:
        return ascii_text(subject(workload, result.settings, result.metric))
    settings = settings_text(result.settings)
    return ascii_text(f"{result.workload} ({settings})" if result.settings else result.workload)


def point_text(report: Report, result: AtMetric, *, workload: bool = True) -> str:
    """The setting among several, such as "4 CPUs, size=64MiB"; "" if there is one.

    workload: whether to name the workload, where there are several.
    """
    several = [f for f in report.findings if f.primary]
    settings = []
    if workload and len({f.workload for f in several}) > 1:
        settings.append(result.workload)
    if len({f.machine for f in several}) > 1:
        settings += granted_texts(result.machine)
    values = grouped((s.name, s.value) for f in several for s in f.settings)
    varied = {name for name, each in values.items() if len({*each}) > 1}
    settings += [f"{s.name}={s.value}" for s in result.settings if s.name in varied]
    return ascii_text(", ".join(settings))


def identity(report: Report, label: str) -> KernelIdentity | None:
    """Identity of the kernel with this label."""
    return dict(zip(labels(report.experiment), report.kernels, strict=False)).get(label)


def quantity(unit: str, metric: str, clock: str) -> str:
    """A unit in words: "instructions per page", "time per page"; the metric's name without a unit."""
    counted, _, operation = _BRACKETS.sub("", unit).partition("/")
    counted = clock_of(clock).time_word if counted in ("ns", "us", "ms", "s") else counted
    return ascii_text(" per ".join(word for word in (counted, operation) if word) or metric)


def metric_name(result: Finding | Ladder) -> str:
    """The metric without its prefix, the workload's name."""
    return ascii_text(result.metric.removeprefix(f"{result.workload}."))


def unit_text(unit: str) -> str:
    """ "instructions per page", "ns per page"."""
    return ascii_text(unit.replace("/", " per "))


def _short(text: str) -> str:
    flat = ascii_text(text)
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST // 2 - 2]}...{flat[1 - _LONGEST // 2 :]}"
